// SPDX-License-Identifier: BSD-3-Clause
// Rebuilds the FTL's state after a power failure from the media alone. The newest complete copy of
// each page counts, interrupted operations are dropped, and partly written blocks continue.
#pragma once

#include <cstdint>

#include "nvdimm/ftl/frontiers.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/lun_blocks.h"
#include "nvdimm/ftl/map_cache.h"
#include "nvdimm/ftl/page_map.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

// Rebuilds the map. Returns the newest version of any page.
std::uint64_t rebuild_map(const FlashMedia& media, const FtlShape& shape, PageMap& pages);

// Rebuilds one LUN's blocks. The map must be rebuilt and `frontiers` cleared first.
void rebuild_lun(const FlashMedia& media, const FtlShape& shape, std::uint32_t lun,
                 const PageMap& pages, LunBlocks& blocks, Frontiers& frontiers);

// Marks entries that differ from those in their translation pages as dirty again.
void rebuild_cache(const FlashMedia& media, const FtlShape& shape, const PageMap& pages,
                   MapCache& cache);

}  // namespace hmsim
