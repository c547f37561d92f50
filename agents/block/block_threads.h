// SPDX-License-Identifier: BSD-3-Clause
// Threads of a block agent: the request of each, and the parts of it that are still to be sent.
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

// Thread with its request. A request has up to four parts, sent one after another: a flush before
// its data; the data, in two parts if they wrap around the device's end; a flush after them (forced
// unit access). A trim has no flushes.
struct BlockThread {
  bool busy = false;             // it has a request
  std::int64_t number = 0;       // of the request within the pass or since measuring began
  std::uint64_t serial = 0;      // of the request, for RequestSource::ended()
  Tick submitted{0};             // when it began the request
  std::uint64_t first_line = 0;  // of the request, on the device
  std::uint64_t all_lines = 0;   // of the request
  std::uint64_t next_line = 0;   // first line still to be sent
  std::uint64_t lines = 0;       // still to be sent
  bool write = false;
  bool trim = false;
  bool flush_before = false;  // a flush is still to be sent before the data
  bool flush_after = false;   // a flush is still to be sent after the data
  bool begun = false;         // at least one part was sent
  std::uint16_t handle = 0;   // placement handle

  void begin(const BlockRequest& request, const DeviceLayout::Extent& extent);
  bool has_part() const { return flush_before || lines > 0 || flush_after || (trim && !begun); }
  // Returns the next part, in units of the device, and marks it as sent. Requires has_part().
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
  std::size_t first_free() const;              // requires a free thread

  // Gives a free thread the request of this number, without parts; the caller sets these.
  BlockThread& begin(std::size_t index, std::int64_t number);
  void end(std::size_t index);
  // Returns the number of the first request that has not ended. `taken` is the number of the next
  // request to be taken.
  std::int64_t first_under_way(std::int64_t taken) const;

  void serialize(Archive& archive);
  // On load, checks that addresses are on a device of `lines` lines.
  void check(const Archive& archive, std::uint64_t lines) const;

 private:
  std::vector<BlockThread> threads_;
  std::int64_t busy_ = 0;
};

}  // namespace hmsim
