// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/module/power_record.h"

#include <algorithm>
#include <string>

#include "core/errors.h"

namespace hmsim {

namespace {

std::int64_t share(std::int64_t count, std::int64_t parts) { return (count + parts - 1) / parts; }

}  // namespace

void PowerRecord::fail(const PowerParameters& parameters, Tick save) {
  ++failures;
  hold_up = later(hold_up, save);
  energy = std::max(energy, flush_energy(parameters, save));
  drained += save;
  const std::int64_t spent = flush_energy(parameters, drained);
  if (parameters.energy != kEnoughEnergy && spent > parameters.energy * kMicrojoulesPerMillijoule) {
    throw InputError("nvdimm.power.energy: " + std::to_string(parameters.energy) +
                     " mJ is too little for " +
                     std::to_string(share(spent, kMicrojoulesPerMillijoule)) +
                     " mJ of saves since the last complete recovery");
  }
}

Tick longest(const std::vector<PowerLane>& lanes) {
  Tick time{0};
  for (const PowerLane& lane : lanes) {
    time = later(time, lane.time());
  }
  return time;
}

std::int64_t flush_energy(const PowerParameters& parameters, Tick hold_up) {
  // 1 mW for 1 us is 1 nJ.
  constexpr std::int64_t kNanojoules = 1000;
  const std::int64_t microseconds = share(hold_up.value(), kMicrosecond.value());
  return share(microseconds * parameters.draw, kNanojoules);
}

}  // namespace hmsim
