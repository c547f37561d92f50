// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/lun_locks.h"

#include "core/errors.h"

namespace hmsim {

void LunLocks::lock(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  ensure(!state.locked, "flash", now, lun, "second collection of a LUN at a time");
  account(now);
  state.locked = true;
  state.since = now;
  blocked_ += state.waiting;
}

void LunLocks::unlock(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  account(now);
  state.before = total(lun, now);
  state.last = lock_of(lun, now);
  state.locked = false;
  blocked_ -= state.waiting;
}

}  // namespace hmsim
