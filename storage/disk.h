// SPDX-License-Identifier: BSD-3-Clause
// A disk: an arm that moves, platters that turn, and a buffer for what is read ahead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/disk_mechanics.h"
#include "storage/intake.h"
#include "storage/request.h"
#include "storage/server.h"

namespace hmsim {

// One request at a time: seek, turn, transfer. After a read the head goes on reading into the
// buffer, as far ahead of what was asked as half the buffer, until a request needs the arm; a read
// of what is there, or on its way there, needs no seek. Nothing that is written stays behind in a
// buffer, so a flush takes the overhead only.
class Disk final : public StorageDevice {
 public:
  // `parameters` have passed check(); `capacity` is in whole sectors.
  Disk(const DiskParameters& parameters, Bytes capacity, std::uint64_t seed);

  void listen(IoListener& listener) override { intake_.listen(listener); }
  void submit(const IoRequest& request, Tick now) override;
  Bytes capacity() const override { return intake_.capacity(); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  void account(Tick now) override;

  Tick next_event() const override { return end_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const Intake& intake() const { return intake_; }
  const DiskMechanics& mechanics() const { return mechanics_; }

 private:
  // Keys are places on the disk, or, without elevator, alike; then the earlier one goes first.
  struct Waiting {
    std::uint64_t key = 0;
    std::uint64_t order = 0;
    std::uint32_t place = kNoIndex;
    Tick ready{0};  // its overhead is over

    static bool after(const Waiting& a, const Waiting& b) {
      return b.key < a.key || (a.key == b.key && b.order < a.order);
    }
    void serialize(Archive& archive) { archive(key, order, place, ready); }
  };
  using Sweep = std::vector<Waiting>;  // a heap, the first by key in front

  // What the buffer has, and goes on to have. The byte `at` passes the head at `since`.
  struct Ahead {
    std::uint64_t begin = 0;
    std::uint64_t at = 0;
    std::uint64_t limit = 0;  // begin == limit: nothing
    Tick since{0};

    void serialize(Archive& archive) { archive(begin, at, limit, since); }
  };

  void start(Tick now);
  void serve_next(Tick now);
  Tick serve(const Waiting& next, Tick now);
  Tick from_buffer(const IoRequest& request, Tick ready);
  Tick from_platters(const IoRequest& request, Tick ready);
  void stop_reading(Tick now);

  const DiskParameters parameters_;
  const DiskMechanics mechanics_;
  Intake intake_;
  Sweep sweep_;
  Sweep next_sweep_;
  std::uint64_t order_ = 0;
  std::uint64_t last_key_ = 0;
  std::uint32_t served_ = kNoIndex;
  Tick end_ = kNever;       // of what is served
  std::int64_t track_ = 0;  // where the arm is while nothing is read ahead
  Ahead ahead_;
  Level busy_;
  Counter seek_time_ = 0;  // picoseconds
  Counter rotation_time_ = 0;
  Counter transfer_time_ = 0;
  Counter buffer_hits_ = 0;
};

}  // namespace hmsim
