// SPDX-License-Identifier: BSD-3-Clause
// Locks of LUNs by collections: their duration, and the delay of the host's commands.
//
// Invariant: `blocked_` is the number of host commands that wait at locked LUNs. Their waiting time
// is counted up to `counted_to_`.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/nand/flash_requester.h"

namespace hmsim {

class LunLocks {
 public:
  // `blocked_ps`: counter of the waiting time, summed over commands. It must outlive the object.
  LunLocks(std::int64_t luns, Counter& blocked_ps)
      : luns_(static_cast<std::size_t>(luns)), blocked_ps_(blocked_ps) {}

  bool locked(std::uint32_t lun) const { return luns_[lun].locked; }
  void lock(std::uint32_t lun, Tick now) {
    Lun& state = luns_[lun];
    ensure(!state.locked, "flash", now, lun, "second collection of a LUN at a time");
    account(now);
    state.locked = true;
    state.since = now;
    blocked_ += state.waiting;
  }
  void unlock(std::uint32_t lun, Tick now) {
    Lun& state = luns_[lun];
    account(now);
    state.before = total(lun, now);
    state.last = lock_of(lun, now);
    state.locked = false;
    blocked_ -= state.waiting;
  }

  // Returns whether the LUN is unlocked and no host command waits for it.
  bool is_free(std::uint32_t lun) const {
    const Lun& state = luns_[lun];
    return !state.locked && state.waiting == 0;
  }
  // Returns the host commands that wait for the LUN, locked or not.
  std::uint32_t waiting(std::uint32_t lun) const { return luns_[lun].waiting; }
  void begin_wait(std::uint32_t lun, Tick now) {
    ++luns_[lun].waiting;
    if (luns_[lun].locked) {
      account(now);
      ++blocked_;
    }
  }
  void end_wait(std::uint32_t lun, Tick now) {
    --luns_[lun].waiting;
    if (luns_[lun].locked) {
      account(now);
      --blocked_;
    }
  }

  // Returns the duration of the current lock or, if the LUN is unlocked, the last one.
  GcWait lock_of(std::uint32_t lun, Tick now) const {
    const Lun& state = luns_[lun];
    return state.locked ? GcWait{now - state.since, now} : state.last;
  }
  // total(): how long the LUN has been locked altogether. cost_since(): the lock time of a command
  // that was submitted when total() was `before`.
  Tick total(std::uint32_t lun, Tick now) const {
    return luns_[lun].before + (luns_[lun].locked ? now - luns_[lun].since : Tick(0));
  }
  GcWait cost_since(std::uint32_t lun, Tick before, Tick now) const {
    return {total(lun, now) - before, luns_[lun].locked ? now : luns_[lun].last.until};
  }

  // Counts the waiting time up to `now`.
  void account(Tick now) {
    blocked_ps_ += static_cast<Counter>((now - counted_to_).value()) * blocked_;
    counted_to_ = now;
  }
  void serialize(Archive& archive) {
    archive.fixed(luns_);
    archive(blocked_, counted_to_);
  }

 private:
  struct Lun {
    bool locked = false;
    std::uint32_t waiting = 0;
    Tick before{0};  // total lock time up to the last change
    Tick since{0};   // start of the current lock
    GcWait last;     // the previous lock

    void serialize(Archive& archive) {
      archive(locked, waiting, before, since, last);
      archive.check(before < kNever, "time of a LUN too long");
    }
  };

  std::vector<Lun> luns_;
  Counter& blocked_ps_;
  std::uint32_t blocked_ = 0;
  Tick counted_to_{0};
};

}  // namespace hmsim
