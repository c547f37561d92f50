// SPDX-License-Identifier: BSD-3-Clause
// The FTL's shape in a flash NVDIMM: what the buffer and the host ask of it.
#pragma once

#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/parameters.h"

namespace hmsim {

FtlDemands ftl_demands(const NvdimmParameters& parameters);

FtlShape ftl_shape(const NvdimmParameters& parameters);

}  // namespace hmsim
