// SPDX-License-Identifier: BSD-3-Clause
// Requests of one device from arrival to completion: their order, their counts, and the listener
// that is notified of completions. Barriers are implemented only here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/pool.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "core/types.h"
#include "storage/request.h"
#include "storage/server.h"

namespace hmsim {

// Counts of completed reads or writes.
struct IoCounts {
  Counter requests = 0;
  Counter bytes = 0;
  Histogram latency;  // picoseconds, from submit() to completion

  void serialize(Archive& archive) { archive(requests, bytes, latency); }
};

// Order in which requests start:
//   barriers  a barrier waits for all earlier requests, and later ones wait for the barrier
//   writes    a flush waits until no write is under way, and later writes and flushes wait for it;
//             reads, trims and flushes for forced unit access never wait
//   none      all requests start at once
enum class IoOrder : std::uint8_t { barriers, writes, none };

// Queue of a device's requests. The device passes each request to take(), starts what next()
// returns until that is kNoIndex, and calls end() for each started request. After each end(), it
// calls next() again, because other requests may have become ready.
class IoQueue {
 public:
  explicit IoQueue(Bytes capacity) : capacity_(capacity) {}
  // Sets the device's size and order before the first request.
  void set(Bytes capacity, IoOrder order) {
    capacity_ = capacity;
    order_ = order;
  }

  void listen(IoListener& listener) { listener_ = &listener; }
  Bytes capacity() const { return capacity_; }

  void take(const IoRequest& request, Tick now);
  // Returns the place of the request to start now; kNoIndex: none may start.
  std::uint32_t next();
  const IoRequest& operator[](std::uint32_t place) const { return jobs_[place].request; }
  Tick arrival(std::uint32_t place) const { return jobs_[place].arrival; }
  bool holds(std::uint32_t place) const { return jobs_.holds(place); }
  // Upper bound of places.
  std::uint32_t size() const { return jobs_.size(); }
  std::vector<bool> in_use() const { return jobs_.in_use(); }  // by place
  // Counts the parts of a request that have not ended. Not saved: the device counts them on load.
  void add_parts(std::uint32_t place, std::uint32_t parts) { jobs_[place].parts += parts; }
  // Returns whether this was the last part.
  bool end_part(std::uint32_t place) { return --jobs_[place].parts == 0; }
  // Ends a request and notifies the listener, which may submit at once. Call from within the
  // device's advance(), as the last action for the request; its place becomes free.
  void end(std::uint32_t place, Tick now);
  // Notifies the listener of moved blocks, for a device that is memory.
  void report_blocks(std::int64_t blocks, Tick now) { listener_->on_blocks_done(blocks, now); }

  const IoCounts& reads() const { return counts_[0]; }
  const IoCounts& writes() const { return counts_[1]; }
  std::int64_t under_way() const { return outstanding_.value(); }

  void register_statistics(StatisticRegistry& registry, const std::string& path);
  // Counts, for a device that registers them under other names. It calls register_reset() instead
  // of register_statistics().
  IoCounts& counts(bool write) { return counts_[write ? 1 : 0]; }
  void register_reset(StatisticRegistry& registry);

  void serialize(Archive& archive);

 private:
  struct Job {
    IoRequest request;
    Tick arrival{0};
    std::uint32_t parts = 0;

    void serialize(Archive& archive) { archive(request, arrival); }
  };

  // Returns whether the request takes part in the order.
  bool takes_part(const IoRequest& request) const;
  bool is_barrier(const IoRequest& request) const {
    return order_ == IoOrder::barriers ? request.barrier : request.kind == IoRequest::Kind::flush;
  }

  Bytes capacity_;
  IoOrder order_ = IoOrder::barriers;
  IoListener* listener_ = nullptr;
  Pool<Job> jobs_;
  Ring<std::uint32_t> passing_;  // requests that take no part in the order
  Ring<std::uint32_t> waiting_;  // requests that wait for a barrier, or are one
  std::uint32_t started_ = 0;    // started requests that take part
  bool barrier_ = false;         // the started request is a barrier
  Level outstanding_;
  std::array<IoCounts, 2> counts_;
  Counter flushes_ = 0;
  Counter trims_ = 0;
};

}  // namespace hmsim
