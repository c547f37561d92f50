// SPDX-License-Identifier: BSD-3-Clause
// Parameters of an array of solid-state memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "storage/power.h"
#include "storage/row_memory.h"

namespace hmsim {

enum class QueueOf { direction, submitter };
enum class QueueOrder { fifo, balance };

struct ArrayParameters {
  std::int64_t tags = 64;
  std::int64_t queues = 1;
  QueueOf queue_of = QueueOf::direction;
  QueueOrder order = QueueOrder::fifo;
  std::int64_t buffers = 2;  // per queue, or in all if shared
  bool shared_buffers = false;
  Bytes buffer{8'192};
  Bytes stripe{8'192};
  Tick ring_to{280'000};  // per KiB
  Tick ring_from{430'000};
  Tick end_time{100'000};

  void declare(ParameterSet& parameters);  // under "array."
  std::vector<ParameterError> check() const;
};

// Times of one direction. A transfer occupies it for `per_kib` per KiB. Its data arrive `fixed`
// later, while other transfers may follow.
struct LinkTimes {
  Tick per_kib{0};
  Tick fixed{0};
};

// Full-duplex link between host and device.
struct LinkParameters {
  LinkTimes to_host{Tick(650'000), Tick(0)};
  LinkTimes from_host{Tick(602'000), Tick(1'310'000)};

  void declare(ParameterSet& parameters);  // under "link."
};

// Complete design: the scopes array, link, memory and power.
struct ArrayDesign {
  ArrayParameters array;
  LinkParameters link;
  RowMemoryParameters memory;
  ArrayPowerParameters power;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check(Bytes capacity) const;
};

}  // namespace hmsim
