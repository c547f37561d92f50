// SPDX-License-Identifier: BSD-3-Clause
#include "storage/page_mapper.h"

#include <algorithm>

namespace hmsim {

PageMapper::PageMapper(Tick map_time, Tick fault_time, std::size_t pages)
    : map_time_(map_time), fault_time_(fault_time) {
  if (fault_time > Tick(0)) {
    touched_.assign(pages, false);
  }
}

Tick PageMapper::map(std::uint64_t page, std::size_t thread, Tick now) {
  Tick time = map_time_;
  if (!touched_.empty() && !touched_[page]) {
    touched_[page] = true;
    time += fault_time_;
  }
  if (time == Tick(0)) {
    return now;
  }
  over_.resize(std::max(over_.size(), thread + 1));
  over_[thread] = later(over_[thread], now) + time;
  return over_[thread];
}

void PageMapper::serialize(Archive& archive) {
  archive(over_);
  archive.fixed(touched_);
}

}  // namespace hmsim
