// SPDX-License-Identifier: BSD-3-Clause
// The requests of one device from their arrival to their end: their order, their counts, and the
// listener that learns of their ends. No other part of the storage knows barriers.
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

// Of reads, or of writes, that ended.
struct IoCounts {
  Counter requests = 0;
  Counter bytes = 0;
  Histogram latency;  // picoseconds, from submit() to the end

  void serialize(Archive& archive) { archive(requests, bytes, latency); }
};

// Which requests wait for others before they start.
//   barriers  a barrier waits for all requests before it, and those after it wait for the barrier
//   writes    a flush waits until no write is under way, and writes and flushes after it wait for
//             it; reads, trims and a flush for forced unit access never wait
//   none      all start at once
enum class IntakeOrder : std::uint8_t { barriers, writes, none };

// A device takes each request, starts what next() returns until that is none, and ends each request
// that it has started. It does so again after each end(), which may have set others free.
class Intake {
 public:
  explicit Intake(Bytes capacity, IntakeOrder order = IntakeOrder::barriers)
      : capacity_(capacity), order_(order) {}

  void listen(IoListener& listener) { listener_ = &listener; }
  Bytes capacity() const { return capacity_; }

  void take(const IoRequest& request, Tick now);
  // The request that is to start now, by its place here; kNoIndex: none may.
  std::uint32_t next();
  const IoRequest& operator[](std::uint32_t place) const { return jobs_[place].request; }
  Tick arrival(std::uint32_t place) const { return jobs_[place].arrival; }
  bool holds(std::uint32_t place) const { return jobs_.holds(place); }
  // Places lie below.
  std::uint32_t size() const { return jobs_.size(); }
  std::vector<bool> in_use() const { return jobs_.in_use(); }  // by place
  // From within the device's advance(), as the last thing that is done for the request: its place
  // is free, and the listener may submit at once.
  void end(std::uint32_t place, Tick now);

  const IoCounts& reads() const { return counts_[0]; }
  const IoCounts& writes() const { return counts_[1]; }
  std::int64_t under_way() const { return outstanding_.value(); }

  void account(Tick now) { outstanding_.account(now); }
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  // For a device that registers counts under other names, instead of register_statistics().
  IoCounts& counts(bool write) { return counts_[write ? 1 : 0]; }
  void reset(Tick now);

  void serialize(Archive& archive);

 private:
  struct Job {
    IoRequest request;
    Tick arrival{0};

    void serialize(Archive& archive) { archive(request, arrival); }
  };

  // Whether the request waits for others, or others for it.
  bool takes_part(const IoRequest& request) const;
  bool is_barrier(const IoRequest& request) const {
    return order_ == IntakeOrder::barriers ? request.barrier
                                           : request.kind == IoRequest::Kind::flush;
  }

  Bytes capacity_;
  IntakeOrder order_;
  IoListener* listener_ = nullptr;
  Pool<Job> jobs_;
  Ring<std::uint32_t> passing_;  // requests that take no part in the order
  Ring<std::uint32_t> waiting_;  // for a barrier, or to become one
  std::uint32_t started_ = 0;    // of those that take part
  bool barrier_ = false;         // what has started is a barrier
  Level outstanding_;
  std::array<IoCounts, 2> counts_;
  Counter flushes_ = 0;
};

}  // namespace hmsim
