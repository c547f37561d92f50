// SPDX-License-Identifier: BSD-3-Clause
// The FTL's state after a power failure, from the media alone: of each page the newest whole copy
// counts, operations that were under way are forgotten, and partly written blocks are continued.
#pragma once

#include <cstdint>

#include "nvdimm/ftl/frontiers.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/lun_blocks.h"
#include "nvdimm/ftl/map_cache.h"
#include "nvdimm/ftl/page_map.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

// Returns the newest version of any page.
std::uint64_t rebuild_map(const FlashMedia& media, const FtlShape& shape, PageMap& pages);

// Once the map is rebuilt; `frontiers` has been cleared.
void rebuild_lun(const FlashMedia& media, const FtlShape& shape, std::uint32_t lun,
                 const PageMap& pages, LunBlocks& blocks, Frontiers& frontiers);

// Entries that differ from what their translation pages say are dirty again.
void rebuild_cache(const FlashMedia& media, const FtlShape& shape, const PageMap& pages,
                   MapCache& cache);

}  // namespace hmsim
