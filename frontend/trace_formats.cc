// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/trace_formats.h"

#include "core/archive.h"

namespace hmsim {

void Miss::serialize(Archive& archive) {
  archive(gap, load, write, dependent, memory, load_address, write_address);
}

void Access::serialize(Archive& archive) { archive(address, write, cycle); }

void BlockRequest::serialize(Archive& archive) {
  archive(arrival_ns, device, sector, sectors, write, trim, flush, fua);
}

}  // namespace hmsim
