// SPDX-License-Identifier: BSD-3-Clause
// Interface that answers when a command is legal on one channel. Implemented by the native engine
// and by another simulator's device model.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

// Location of a bank. All numbers count over all ranks.
struct BankPlace {
  std::uint16_t bank = 0;
  std::uint16_t rank = 0;
  std::uint16_t group = 0;
};

// Timing model of one channel. Banks are numbered rank x banks per rank + bank; banks of a group
// are adjacent. The NVDIMM is the rank after the last. Callers ask only what bank states permit:
// activate of a closed bank, precharge, read and write of an open bank, refresh of a rank with all
// banks closed.
class TimingModel {
 public:
  virtual ~TimingModel() = default;

  virtual void issue(Command command, int bank, Cycle now) = 0;

  // Each returns the earliest cycle from which no rule of its scope forbids `command`, given the
  // commands issued so far. bank_ready(): rules of the bank's rows. rank_gate(): rules of the rank,
  // for refresh and NVDIMM bursts. earliest(): all rules.
  virtual std::int64_t bank_ready(Command command, int bank) const = 0;
  virtual Cycle rank_gate(Command command, int rank) const = 0;
  virtual Cycle earliest(Command command, int bank) const = 0;

  virtual void serialize(Archive& archive) = 0;
};

}  // namespace hmsim
