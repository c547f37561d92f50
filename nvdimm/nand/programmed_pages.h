// SPDX-License-Identifier: BSD-3-Clause
// Number of programmed pages of each superblock.
//
// Invariant: pages of a superblock are programmed in order, and once between erases. A violation
// raises a fault.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "core/zeroed_array.h"
#include "nvdimm/nand/flash_geometry.h"
#include "nvdimm/nand/flash_observer.h"

namespace hmsim {

class ProgrammedPages {
 public:
  ProgrammedPages(const FlashGeometry& at, std::int64_t superblocks)
      : at_(at), pages_(static_cast<std::size_t>(superblocks)) {}

  std::size_t superblocks() const { return pages_.size(); }  // of all LUNs
  void clear() { pages_ = ZeroedArray<std::uint32_t>(pages_.size()); }
  // Before any command: records that the first `pages` pages of a superblock hold data.
  void set(std::uint32_t lun, std::uint32_t superblock, std::uint32_t pages) {
    pages_[at_.superblock_of(lun, superblock)] = pages;
  }
  void program(PhysicalPage place, Tick now) {
    std::uint32_t& programmed = pages_[at_.superblock_of(place)];
    ensure(programmed <= at_.place_in_superblock(place), "flash", now, place.value(),
           "page programmed again without an erase");
    ensure(programmed == at_.place_in_superblock(place), "flash", now, place.value(),
           "pages of a block programmed out of order");
    ++programmed;
  }
  void erase(PhysicalPage place) { pages_[at_.superblock_of(place)] = 0; }
  // Reports each block that has programmed pages.
  void report_to(FlashObserver& observer) const {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      for (std::uint32_t plane = 0; plane < at_.planes && plane < pages_[i]; ++plane) {
        observer.on_programmed(std::uint64_t{i} * at_.planes + plane,
                               (pages_[i] + at_.planes - 1 - plane) / at_.planes);
      }
    }
  }

  void serialize(Archive& archive) { archive(pages_); }

 private:
  const FlashGeometry at_;
  ZeroedArray<std::uint32_t> pages_;  // by superblock, counted from its first page
};

}  // namespace hmsim
