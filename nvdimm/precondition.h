// SPDX-License-Identifier: BSD-3-Clause
// Writing pages without time: what puts an FTL into the state in which a simulation starts.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "nvdimm/ftl.h"
#include "nvdimm/parameters.h"

namespace hmsim {

struct UntimedWork {
  std::uint64_t host_pages = 0;
  std::uint64_t gc_pages = 0;
};

// Programs one page and, when that makes it due, collects its LUN: the same steps, in the same
// order, as the timed NVDIMM takes for an eviction.
void write_untimed(Ftl& ftl, LogicalPage page, UntimedWork& work);

// As `parameters` say; uniform overwrites depend on their seed and on `seed`, a channel's own.
UntimedWork precondition(Ftl& ftl, const PreconditionParameters& parameters, std::uint64_t seed);

}  // namespace hmsim
