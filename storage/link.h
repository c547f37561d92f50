// SPDX-License-Identifier: BSD-3-Clause
// Full-duplex link between host and device.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "storage/server.h"

namespace hmsim {

// Times of one direction. A transfer occupies it for `per_kib` per KiB. Its data arrive `fixed`
// later, while other transfers may follow.
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
  Server<std::uint32_t> server;  // queue of transfers

  Tick occupancy(std::uint64_t bytes) const { return time_of(bytes, times.per_kib); }
  void serialize(Archive& archive) { server.serialize(archive); }
};

}  // namespace hmsim
