// SPDX-License-Identifier: BSD-3-Clause
// How many pages of each superblock are programmed.
//
// Invariant: pages of a superblock are programmed in order, and once between erases. Anything else
// is a fault.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/nand/flash_geometry.h"
#include "nvdimm/nand/flash_observer.h"

namespace hmsim {

class ProgrammedPages {
 public:
  ProgrammedPages(const FlashGeometry& at, std::int64_t superblocks)
      : at_(at), pages_(static_cast<std::size_t>(superblocks)) {}

  std::size_t superblocks() const { return pages_.size(); }  // of all LUNs
  // Before any command: so many pages of a superblock hold data.
  void set(std::uint32_t lun, std::uint32_t superblock, std::uint32_t pages) {
    pages_[at_.superblock_of(lun, superblock)] = pages;
  }
  void program(PhysicalPage place, Tick now);
  void erase(PhysicalPage place) { pages_[at_.superblock_of(place)] = 0; }
  // Reports each block that holds pages.
  void report_to(FlashObserver& observer) const;

  void serialize(Archive& archive) { archive.fixed(pages_); }

 private:
  const FlashGeometry at_;
  std::vector<std::uint32_t> pages_;  // of each superblock, from its first on
};

}  // namespace hmsim
