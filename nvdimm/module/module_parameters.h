// SPDX-License-Identifier: BSD-3-Clause
// Parameters common to all kinds of NVDIMM.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

enum class NvdimmKind : std::uint8_t { flash, pcm, sttram, hbf };

// Size of a command of a block driver: a line, or as many lines of a page of 4 KiB as it copies.
// automatic: block where the NVDIMMs take such commands (SystemConfig::block_access()).
enum class NvdimmAccess : std::uint8_t { automatic, line, block };

// Returns whether modules of this kind contain a flash array.
inline bool has_flash(NvdimmKind kind) {
  return kind == NvdimmKind::flash || kind == NvdimmKind::hbf;
}

inline constexpr std::int64_t kEnoughEnergy = -1;
inline constexpr std::int64_t kAsHost = 0;  // stands for the commands that the host may send

struct PowerParameters {
  std::int64_t energy = kEnoughEnergy;  // millijoules
  std::int64_t draw = 2500;             // milliwatts

  // Declares the fields under "power.".
  void declare(ParameterSet& set) {
    const ParameterSet::Scope scope(set, "power");
    const ParameterSet::PartData part(set);
    set.integer_or(
        "energy", energy, {1, 1'000'000'000}, "enough", kEnoughEnergy, "mJ",
        {"energy of the ultracapacitors; a configuration is refused if it may not suffice "
         "to save the write part at a power failure",
         "assumed"});
    set.integer("draw", draw, {1, 1'000'000}, "mW",
                {"power drawn while the write part is saved", "assumed"});
  }
};

struct ModuleParameters {
  NvdimmKind kind = NvdimmKind::flash;
  Bytes capacity{32LL << 30};  // raw
  std::int64_t command_queue = kAsHost;
  NvdimmAccess access = NvdimmAccess::automatic;
  PowerParameters power;

  // From other parts of the configuration: system.store_data; slots of the host's queues, whose
  // numbers are tags; writes that the host may send on credit (0: it waits for each ack); writes of
  // the host's queue that are spared at a power failure; time of a 64-byte request on the data bus.
  bool store_data = false;
  std::int64_t host_slots = 0;
  std::int64_t posted_writes = 0;
  std::int64_t spared_writes = 0;
  Tick line_burst = 5 * kNanosecond;

  // Returns the most commands that may be unfinished.
  std::int64_t commands() const {
    return command_queue == kAsHost ? host_slots + posted_writes : command_queue;
  }
  // Returns the number of tags: those of the host's commands, then those of its posted writes.
  std::size_t tags() const {
    return static_cast<std::size_t>(std::max(command_queue, host_slots + posted_writes));
  }
};

}  // namespace hmsim
