// SPDX-License-Identifier: BSD-3-Clause
// Filling a part of the synchronisation buffer without time: the state in which a simulation
// starts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"
#include "nvdimm/buffer/data.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"

namespace hmsim {

// Pages of which the part has room for a line or more.
std::uint64_t pages_in(const SyncBuffer& buffer, const BufferPart& part);

// Fills the write part, which is empty, with dirty frames, all of whose lines are valid, as far as
// it has room. The first page is given up first. `data`: nullptr outside data mode; then the lines
// are zeros, as those of preconditioned flash.
void fill_dirty(SyncBuffer& buffer, const std::vector<LogicalPage>& pages, NvdimmData* data);

// Fills the read part, which is empty, with clean frames, all of whose lines are valid, as far as
// it has room. The first page is given up last.
void fill_clean(SyncBuffer& buffer, const std::vector<LogicalPage>& pages, const Ftl& ftl,
                NvdimmData* data);

}  // namespace hmsim
