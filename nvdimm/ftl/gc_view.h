// SPDX-License-Identifier: BSD-3-Clause
// The GC scheduler of a collector, and what it sees of a LUN.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/parameters.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/pending_work.h"
#include "policies/gc_scheduler.h"

namespace hmsim {

// Creates the scheduler of this name. `assignments`: the configuration's, for its parameters.
std::unique_ptr<GcScheduler> gc_scheduler(const std::string& name, const Assignments& assignments);

// Returns the view of a LUN. `victim_pages`: valid pages of the block under collection, or 0.
// `times` must outlive the view.
GcView gc_view(const Ftl& ftl, const PendingWork& pending, std::uint32_t lun,
               std::uint32_t victim_pages, const GcTimes& times);

}  // namespace hmsim
