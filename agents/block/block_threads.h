// SPDX-License-Identifier: BSD-3-Clause
// The threads of a block agent: each one's request, and the parts of it that are still to be sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/block/device_layout.h"
#include "core/archive.h"
#include "core/types.h"
#include "storage/request.h"
#include "traces/trace_formats.h"

namespace hmsim {

// A request has up to four parts, sent one after another: a flush before its data; the data, in two
// parts where they run over the device's end; a flush after them (forced unit access). A trim has
// no flushes.
struct BlockThread {
  bool busy = false;             // it has a request
  std::int64_t number = 0;       // of the request within the pass
  std::uint64_t serial = 0;      // of the request for RequestSource::ended()
  Tick submitted{0};             // when it began the request
  std::uint64_t first_line = 0;  // of the request, on the device
  std::uint64_t all_lines = 0;   // of the request
  std::uint64_t next_line = 0;   // the first line that is still to be sent
  std::uint64_t lines = 0;       // from there on
  bool write = false;
  bool trim = false;
  bool flush_before = false;  // still to be sent
  bool flush_after = false;   // a flush is still to be sent after the data
  bool begun = false;         // a part has been sent

  void begin(const BlockRequest& request, const DeviceLayout::Extent& extent);
  bool has_part() const { return flush_before || lines > 0 || flush_after || (trim && !begun); }
  // Returns the next part, which counts as sent, in units of the device. has_part() holds.
  IoRequest next_part(Bytes capacity, Bytes granularity);

  void serialize(Archive& archive);

 private:
  void next_data(IoRequest& request, Bytes capacity, Bytes granularity);
};

class BlockThreads {
 public:
  void resize(std::size_t threads) { threads_.resize(threads); }

  std::size_t size() const { return threads_.size(); }
  BlockThread& operator[](std::size_t index) { return threads_[index]; }
  const BlockThread& operator[](std::size_t index) const { return threads_[index]; }
  std::int64_t busy() const { return busy_; }  // threads with a request
  std::size_t first_free() const;              // one is free

  // Gives a free thread its request, with nothing of it done.
  BlockThread& begin(std::size_t index, std::int64_t number);
  void end(std::size_t index);
  // The number of the first request that has not ended, where `taken` is that of the next one to
  // be taken.
  std::int64_t first_under_way(std::int64_t taken) const;

  void serialize(Archive& archive);
  // Loading: checks that addresses lie on a device of `lines` lines.
  void check(const Archive& archive, std::uint64_t lines) const;

 private:
  std::vector<BlockThread> threads_;
  std::int64_t busy_ = 0;
};

}  // namespace hmsim
