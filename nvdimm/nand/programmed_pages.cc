// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/programmed_pages.h"

#include "core/errors.h"

namespace hmsim {

void ProgrammedPages::program(PhysicalPage place, Tick now) {
  std::uint32_t& programmed = pages_[at_.superblock_of(place)];
  ensure(programmed <= at_.place_in_superblock(place), "flash", now, place.value(),
         "page programmed again without an erase");
  ensure(programmed == at_.place_in_superblock(place), "flash", now, place.value(),
         "pages of a block programmed out of order");
  ++programmed;
}

void ProgrammedPages::report_to(FlashObserver& observer) const {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    for (std::uint32_t plane = 0; plane < at_.planes && plane < pages_[i]; ++plane) {
      observer.on_programmed(std::uint64_t{i} * at_.planes + plane,
                             (pages_[i] + at_.planes - 1 - plane) / at_.planes);
    }
  }
}

}  // namespace hmsim
