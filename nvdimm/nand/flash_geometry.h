// SPDX-License-Identifier: BSD-3-Clause
// Where a flash page lies. Pages of a superblock count across its planes: page 0 of every plane,
// then page 1 of every plane, and so on; superblocks count through a LUN, LUNs through a channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

struct FlashGeometry {
  std::uint32_t luns_per_channel;
  std::uint32_t planes;
  std::uint32_t superblock_pages;
  std::uint32_t superblocks_per_lun;

  FlashGeometry(const NandParameters& nand, std::int64_t superblocks, std::int64_t luns)
      : luns_per_channel(static_cast<std::uint32_t>(nand.luns_per_channel())),
        planes(static_cast<std::uint32_t>(nand.planes)),
        superblock_pages(static_cast<std::uint32_t>(nand.superblock_pages())),
        superblocks_per_lun(static_cast<std::uint32_t>(superblocks / luns)) {}

  // Of all LUNs.
  std::size_t superblock_of(PhysicalPage place) const {
    return static_cast<std::size_t>(place.value()) / superblock_pages;
  }
  std::size_t superblock_of(std::uint32_t lun, std::uint32_t superblock) const {
    return std::size_t{superblocks_per_lun} * lun + superblock;
  }
  std::size_t lun_of(PhysicalPage place) const {
    return superblock_of(place) / superblocks_per_lun;
  }
  std::uint32_t place_in_superblock(PhysicalPage place) const {
    return static_cast<std::uint32_t>(place.value()) % superblock_pages;
  }
  std::uint32_t page_of(PhysicalPage place) const { return place_in_superblock(place) / planes; }
  std::uint32_t plane_of(PhysicalPage place) const { return place_in_superblock(place) % planes; }
  std::uint64_t block_of(PhysicalPage place) const {
    return std::uint64_t{superblock_of(place)} * planes + plane_of(place);
  }
};

}  // namespace hmsim
