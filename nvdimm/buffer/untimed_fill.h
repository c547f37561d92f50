// SPDX-License-Identifier: BSD-3-Clause
// Fills buffer parts in zero simulated time, to set a simulation's initial state.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"
#include "nvdimm/buffer/data.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"

namespace hmsim {

// Returns the number of pages that fill the part one after the other; the last may fit only partly.
std::uint64_t pages_in(const SyncBuffer& buffer, const BufferPart& part);

// Fills the write part, which must be empty, with dirty frames whose lines are all valid, while
// there is room. The first page is replaced first. `data`: nullptr outside data mode; otherwise the
// lines are zeros, like those of preconditioned flash.
void fill_dirty(SyncBuffer& buffer, const std::vector<LogicalPage>& pages, NvdimmData* data);

// Fills the read part, which must be empty, with clean frames whose lines are all valid, while
// there is room. The first page is replaced last. Skips keys in the write part.
void fill_clean(SyncBuffer& buffer, const std::vector<LogicalPage>& pages, const Ftl& ftl,
                NvdimmData* data);

}  // namespace hmsim
