// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_formats.h"

#include <algorithm>

#include "core/archive.h"

namespace hmsim {

void Miss::serialize(Archive& archive) {
  archive(gap, load, write, dependent, non_temporal, memory, load_address, write_address);
  archive.check(gap >= 0, "a miss lies before the one before it");
}

bool MissSource::seek(std::uint64_t instructions, Miss& miss) {
  rewind();
  std::uint64_t passed = 0;
  bool found = false;
  do {
    found = next(miss);
    passed += static_cast<std::uint64_t>(miss.gap);
  } while (found && instructions != 0 && passed <= instructions);
  miss.gap = static_cast<std::int64_t>(passed - std::min(passed, instructions));
  return found;
}

void Access::serialize(Archive& archive) { archive(address, write, cycle, requestor); }

void BlockRequest::serialize(Archive& archive) {
  archive(arrival_ns, device, sector, sectors, write, trim, flush, fua);
  archive.check(sectors <= kMaxSectors, "a block request is too long");
}

}  // namespace hmsim
