// SPDX-License-Identifier: BSD-3-Clause
// The time that software takes to map a page of the NVDIMM before it copies it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// A thread maps one page after another. A page's first touch is a page fault.
class PageMapper {
 public:
  PageMapper() = default;
  // Maps a device of `pages` pages; `fault_time` is added to `map_time`.
  PageMapper(Tick map_time, Tick fault_time, std::size_t pages);

  // Returns when the page is mapped; `now` if that takes no time.
  Tick map(std::uint64_t page, std::size_t thread, Tick now);

  void serialize(Archive& archive);

 private:
  Tick map_time_{0};
  Tick fault_time_{0};
  std::vector<bool> touched_;  // by page; empty where faults take no time
  std::vector<Tick> over_;     // by thread: when it has mapped all that it maps
};

}  // namespace hmsim
