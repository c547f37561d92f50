// SPDX-License-Identifier: BSD-3-Clause
// Derives the FTL's shape from the parameters of a flash NVDIMM, including what the buffer and the
// host demand of it.
#pragma once

#include "nvdimm/ftl/ftl_policies.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Returns the policies of the FTL. Placement with hbf.streams: by_handle, unless another is set.
FtlPolicies ftl_policies(const NvdimmParameters& parameters, const Assignments& assignments);

FtlDemands ftl_demands(const NvdimmParameters& parameters);

FtlShape ftl_shape(const NvdimmParameters& parameters);

}  // namespace hmsim
