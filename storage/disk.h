// SPDX-License-Identifier: BSD-3-Clause
// Disk: an arm, rotating platters, and a read-ahead buffer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/disk_mechanics.h"
#include "storage/queued_device.h"
#include "storage/server.h"

namespace hmsim {

// Model of a disk that serves one request at a time: seek, rotation, transfer. After a read, the
// head continues to read into the buffer, up to half the buffer beyond the request, until a request
// needs the arm. A read of data in the buffer or about to reach it needs no seek. Writes are not
// buffered, so a flush costs only the overhead.
class Disk final : public QueuedDevice<Disk> {
 public:
  // `parameters` passed check(). `capacity` is in whole sectors.
  Disk(const DiskParameters& parameters, Bytes capacity, std::uint64_t seed);

  void register_statistics(StatisticRegistry& registry, const std::string& path) override;

  Tick next_event() const override { return end_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const DiskMechanics& mechanics() const { return mechanics_; }

  // For QueuedDevice. start() also serves a request if the disk is idle.
  void begin(std::uint32_t place, Tick now);
  void start(Tick now);

 private:
  // Waiting request. Keys are byte offsets with the elevator, and all equal without it. Equal keys
  // are served in order of arrival.
  struct Waiting {
    std::uint64_t key = 0;
    std::uint64_t order = 0;
    std::uint32_t place = kNoIndex;
    Tick ready{0};  // end of its overhead

    static bool after(const Waiting& a, const Waiting& b) {
      return b.key < a.key || (a.key == b.key && b.order < a.order);
    }
    void serialize(Archive& archive) { archive(key, order, place, ready); }
  };
  using Sweep = std::vector<Waiting>;  // a heap with the smallest key first

  // Content of the buffer, up to `at`, and the range up to `limit` that is being read ahead. The
  // byte `at` passes the head at time `since`.
  struct Ahead {
    std::uint64_t begin = 0;
    std::uint64_t at = 0;
    std::uint64_t limit = 0;  // begin == limit: empty
    Tick since{0};

    void serialize(Archive& archive) { archive(begin, at, limit, since); }
  };

  void serve_next(Tick now);
  // Returns the end of the request, and sets the parts of its time.
  Tick serve(const Waiting& next, Tick now);
  Tick from_buffer(const IoRequest& request, Tick ready);
  Tick from_platters(const IoRequest& request, Tick ready);
  void stop_reading(Tick now);

  const DiskParameters parameters_;
  const DiskMechanics mechanics_;
  Sweep sweep_;
  Sweep next_sweep_;
  std::uint64_t order_ = 0;
  std::uint64_t last_key_ = 0;
  std::uint32_t served_ = kNoIndex;
  Tick end_ = kNever;       // of the request being served
  DeviceTimes parts_;       // of its time, without waits
  std::int64_t track_ = 0;  // position of the arm while nothing is read ahead
  Ahead ahead_;
  Level busy_;
  Counter seek_time_ = 0;  // picoseconds
  Counter rotation_time_ = 0;
  Counter transfer_time_ = 0;
  Counter buffer_hits_ = 0;
};

}  // namespace hmsim
