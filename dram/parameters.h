// SPDX-License-Identifier: BSD-3-Clause
// The DRAM of one channel: organisation and timing. A preset names a part; single values override.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

// From a read or write command to the precharge of its bank (spec 5.2).
enum class PrechargeDelay {
  jedec,       // read tRTP, write CWL + BL/2 + tWR
  paper,       // 18.75 ns = CL + BL/2 for both, the paper's Table III read literally
  paper_read,  // the paper's for reads, JEDEC for writes
};

// In clock cycles unless the name says otherwise; kFromPreset until resolved.
struct DramTiming {
  std::int64_t tck_ps = kFromPreset;
  std::int64_t cl = kFromPreset;
  std::int64_t cwl = kFromPreset;
  std::int64_t trcd = kFromPreset;
  std::int64_t trp = kFromPreset;
  std::int64_t tras = kFromPreset;
  std::int64_t trc = kFromPreset;
  std::int64_t trrd = kFromPreset;
  std::int64_t tfaw = kFromPreset;
  std::int64_t twr = kFromPreset;
  std::int64_t twtr = kFromPreset;
  std::int64_t trtp = kFromPreset;
  std::int64_t tccd = kFromPreset;
  std::int64_t burst = kFromPreset;  // data-bus cycles of one 64-byte line: BL8 = 4
  std::int64_t trtrs = kFromPreset;
  std::int64_t trefi = kFromPreset;
  std::int64_t trfc = kFromPreset;
};

struct DramOrganisation {
  std::int64_t groups = 1;   // bank groups per rank
  std::int64_t banks = 0;    // per rank
  std::int64_t rows = 0;     // per bank
  std::int64_t columns = 0;  // 64-byte lines per row of a rank
};

struct DramParameters {
  std::string preset = "table3";
  std::int64_t ranks = 1;
  bool refresh = true;
  PrechargeDelay precharge_delay = PrechargeDelay::jedec;
  DramTiming timing;
  DramOrganisation organisation;  // from the preset

  void declare(ParameterSet& parameters);
  void resolve();  // fills in what the preset supplies
  std::vector<ParameterError> check() const;

  Bytes rank_capacity() const;
  Bytes capacity() const { return rank_capacity() * ranks; }
  Tick clock_period() const { return Tick(timing.tck_ps); }
};

}  // namespace hmsim
