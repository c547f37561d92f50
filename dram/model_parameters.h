// SPDX-License-Identifier: BSD-3-Clause
// Which model of the DRAM runs, and what shapes DRAMsim3 where it does. Declared in every build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "dram/parameters.h"

namespace hmsim {

struct DramModelParameters {
  std::string backend = "native";
  std::string ini;           // a path or a shipped file's name; "": the native preset's values
  bool mend_ini = false;     // take misspelt keys for what they mean
  bool mend_timing = false;  // correct DRAMsim3's timing table where it is known to differ
  std::int64_t command_queue = 8;
  bool unified_queue = false;

  void declare(ParameterSet& parameters);

  // To be called in place of dram.resolve(). With an .ini file its organisation holds, and its
  // timing where `dram` sets none. Throws InputError: file, line, what, nearest name.
  void resolve(DramParameters& dram) const;
};

// What of `dram` DRAMsim3 cannot represent.
std::vector<ParameterError> dramsim3_errors(const DramParameters& dram);

}  // namespace hmsim
