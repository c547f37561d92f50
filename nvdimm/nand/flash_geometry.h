// SPDX-License-Identifier: BSD-3-Clause
// Converts a place (a part of a flash page) to its coordinates. Parts are numbered through a page.
// Pages of a superblock are numbered across its planes: page 0 of every plane, then page 1 of every
// plane, and so on. Superblocks are numbered through a LUN, and LUNs through a channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

// Returns log2 of the parts of a flash page: 0, 1 or 2.
inline std::uint32_t log2_of_parts(const NandParameters& nand) {
  std::uint32_t bits = 0;
  while (std::int64_t{1} << bits < nand.parts()) {
    ++bits;
  }
  return bits;
}

struct FlashGeometry {
  std::uint32_t luns_per_channel;
  std::uint32_t planes;
  std::uint32_t part_bits;  // log2 of a page's parts
  std::uint32_t superblock_pages;
  std::uint32_t superblock_parts;
  std::uint32_t superblocks_per_lun;

  FlashGeometry(const NandParameters& nand, std::int64_t superblocks)
      : luns_per_channel(static_cast<std::uint32_t>(nand.luns_per_channel())),
        planes(static_cast<std::uint32_t>(nand.planes)),
        part_bits(log2_of_parts(nand)),
        superblock_pages(static_cast<std::uint32_t>(nand.superblock_pages())),
        superblock_parts(superblock_pages << part_bits),
        superblocks_per_lun(static_cast<std::uint32_t>(superblocks / nand.luns())) {}

  // Return an index over the superblocks of all LUNs.
  std::size_t superblock_of(PhysicalPage place) const {
    return static_cast<std::size_t>(place.value()) / superblock_parts;
  }
  std::size_t superblock_of(std::uint32_t lun, std::uint32_t superblock) const {
    return std::size_t{superblocks_per_lun} * lun + superblock;
  }
  std::size_t lun_of(PhysicalPage place) const {
    return superblock_of(place) / superblocks_per_lun;
  }
  std::uint32_t place_in_superblock(PhysicalPage place) const {
    return static_cast<std::uint32_t>(place.value()) % superblock_parts >> part_bits;
  }
  // Returns the part's bit among those of its page.
  PartMask part_of(PhysicalPage place) const {
    return static_cast<PartMask>(1u << (place.value() & ((std::int64_t{1} << part_bits) - 1)));
  }
  std::uint32_t page_of(PhysicalPage place) const { return place_in_superblock(place) / planes; }
  std::uint32_t plane_of(PhysicalPage place) const { return place_in_superblock(place) % planes; }
  std::uint64_t block_of(PhysicalPage place) const {
    return std::uint64_t{superblock_of(place)} * planes + plane_of(place);
  }
};

}  // namespace hmsim
