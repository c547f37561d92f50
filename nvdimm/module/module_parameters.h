// SPDX-License-Identifier: BSD-3-Clause
// The parameters that NVDIMMs of every kind have.
#pragma once

#include <cstdint>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

enum class NvdimmKind : std::uint8_t { flash, pcm, sttram };

inline constexpr std::int64_t kEnoughEnergy = -1;

struct PowerParameters {
  std::int64_t energy = kEnoughEnergy;  // millijoules
  std::int64_t draw = 2500;             // milliwatts

  // Under "power.".
  void declare(ParameterSet& set);
};

struct ModuleParameters {
  NvdimmKind kind = NvdimmKind::flash;
  Bytes capacity{32LL << 30};  // raw
  std::int64_t command_queue = 4096;
  PowerParameters power;

  // From other parts of the configuration: system.store_data, the writes that the host may send on
  // credit (0: it waits for an ack each time), those that its queue may hold when power fails and
  // that are spared, and a 64-byte request's time on the data bus.
  bool store_data = false;
  std::int64_t posted_writes = 0;
  std::int64_t spared_writes = 0;
  Tick line_burst = 5 * kNanosecond;
};

}  // namespace hmsim
