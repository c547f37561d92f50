// SPDX-License-Identifier: BSD-3-Clause
// Time that software takes to map a page of the NVDIMM before it copies it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// Model of page mapping. A thread maps one page at a time. The first touch of a page is a page
// fault.
class PageMapper {
 public:
  PageMapper() = default;
  // `pages`: size of the device. The first touch of a page takes `map_time` + `fault_time`.
  PageMapper(Tick map_time, Tick fault_time, std::size_t pages)
      : map_time_(map_time), fault_time_(fault_time) {
    touched_.assign(fault_time > Tick(0) ? pages : 0, false);
  }

  // Maps a page. Returns when it is mapped; `now` if mapping takes no time.
  // noinline: few accesses of a copy map a page.
  [[gnu::noinline]] Tick map(std::uint64_t page, std::size_t thread, Tick now) {
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

  void serialize(Archive& archive) {
    archive(over_);
    archive.fixed(touched_);
  }

 private:
  Tick map_time_{0};
  Tick fault_time_{0};
  std::vector<bool> touched_;  // by page; empty if faults take no time
  std::vector<Tick> over_;     // by thread: when its last mapping ends
};

}  // namespace hmsim
