// SPDX-License-Identifier: BSD-3-Clause
// A link between host and device, which carries data both ways at once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "storage/server.h"

namespace hmsim {

// Of one direction: the time per KiB for which a transfer occupies it, and what passes behind that,
// while others may follow, until the data are there.
struct LinkTimes {
  Tick per_kib{0};
  Tick fixed{0};
};

struct LinkParameters {
  LinkTimes to_host{Tick(650'000), Tick(0)};
  LinkTimes from_host{Tick(602'000), Tick(1'310'000)};

  void declare(ParameterSet& parameters);  // under "link."
};

struct LinkDirection {
  LinkTimes times;
  Server<std::uint32_t> server;  // of transfers

  Tick occupancy(std::uint64_t bytes) const { return time_of(bytes, times.per_kib); }
  void serialize(Archive& archive) { server.serialize(archive); }
};

}  // namespace hmsim
