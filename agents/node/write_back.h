// SPDX-License-Identifier: BSD-3-Clause
// Data that a job wrote to memory and its flushers have not yet written to the NVDIMM.
//
// Threads that write are throttled while more lines than the limit wait. Threads that sync wait
// until no line does.
#pragma once

#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/ring.h"
#include "traces/job_program.h"

namespace hmsim {

struct Transfer {
  std::uint64_t first_line = 0;
  std::uint64_t lines = 0;
  void serialize(Archive& archive) { archive(first_line, lines); }
};

class WriteBack {
 public:
  // Sets the most lines that may wait before threads are throttled.
  void set_limit(std::uint64_t lines) { limit_ = lines; }

  void add(const Transfer& transfer) {
    queue_.push(transfer);
    dirty_ += transfer.lines;
  }
  // Takes the next transfer for a flusher. Its lines count until written() is called.
  std::optional<Transfer> take() {
    return queue_.empty() ? std::nullopt : std::optional(queue_.take());
  }

  void written(std::uint64_t lines) { dirty_ -= lines; }

  bool over_limit() const { return dirty_ > limit_; }
  bool clean() const { return dirty_ == 0; }
  bool queue_is_empty() const { return queue_.empty(); }

  Ring<std::uint32_t> idle;       // flushers
  Ring<std::uint32_t> throttled;  // threads, in order of arrival
  Ring<std::uint32_t> syncing;    // threads, in order of arrival, until everything is written

  void serialize(Archive& archive) {
    archive(dirty_, queue_, idle, throttled, syncing);
    queue_.each([&](const Transfer& transfer) {
      archive.check(transfer.lines >= 1 && transfer.lines <= kMostTransferLines,
                    "invalid length of a transfer");
    });
  }

 private:
  std::uint64_t limit_ = 0;
  std::uint64_t dirty_ = 0;  // lines queued, or taken and not yet written
  Ring<Transfer> queue_;
};

}  // namespace hmsim
