// SPDX-License-Identifier: BSD-3-Clause
// Which command is legal when, on one channel: answered by the native engine, or by another
// simulator's model of the devices.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

// Where a bank lies: numbers over all ranks.
struct BankPlace {
  std::uint16_t bank = 0;
  std::uint16_t rank = 0;
  std::uint16_t group = 0;
};

// Banks are numbered rank x banks per rank + bank, those of a bank group next to each other; the
// NVDIMM is the rank after the last. Asked only what the banks' states permit: activate of a closed
// bank, precharge, read and write of an open one, refresh of a rank whose banks are all closed.
class TimingModel {
 public:
  virtual ~TimingModel() = default;

  virtual void issue(Command command, int bank, Cycle now) = 0;

  // From then on no rule of that scope forbids `command`, as far as commands issued so far tell:
  // rules of the bank's own rows; rules of a rank, for refresh and NVDIMM bursts; all rules.
  virtual std::int64_t bank_ready(Command command, int bank) const = 0;
  virtual Cycle rank_gate(Command command, int rank) const = 0;
  virtual Cycle earliest(Command command, int bank) const = 0;

  virtual void serialize(Archive& archive) = 0;
};

}  // namespace hmsim
