// SPDX-License-Identifier: BSD-3-Clause
// What a job wrote to memory and its flushers are still to write to the NVDIMM.
//
// Threads that write are throttled while more lines than the limit wait; those that sync wait until
// none does.
#pragma once

#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/ring.h"

namespace hmsim {

struct Transfer {
  std::uint64_t first_line = 0;
  std::uint64_t lines = 0;
  void serialize(Archive& archive) { archive(first_line, lines); }
};

class WriteBack {
 public:
  // The most lines that may wait before threads are throttled.
  void set_limit(std::uint64_t lines) { limit_ = lines; }

  void add(const Transfer& transfer) {
    queue_.push(transfer);
    dirty_ += transfer.lines;
  }
  // The next one for a flusher, whose lines count until they are written().
  std::optional<Transfer> take();
  void written(std::uint64_t lines) { dirty_ -= lines; }

  bool over_limit() const { return dirty_ > limit_; }
  bool clean() const { return dirty_ == 0; }
  bool queue_is_empty() const { return queue_.empty(); }

  Ring<std::uint32_t> idle;       // flushers
  Ring<std::uint32_t> throttled;  // threads, in the order in which they came
  Ring<std::uint32_t> syncing;    // likewise, until all is written

  void serialize(Archive& archive);

 private:
  std::uint64_t limit_ = 0;
  std::uint64_t dirty_ = 0;  // lines in the queue, or taken and not written
  Ring<Transfer> queue_;
};

}  // namespace hmsim
