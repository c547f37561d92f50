// SPDX-License-Identifier: BSD-3-Clause
// Choice of the DRAM model, and options for DRAMsim3. Declared in every build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "dram/parameters.h"

namespace hmsim {

struct DramModelParameters {
  std::string backend = "native";
  std::string ini;  // a path or the name of a shipped file; "": use the native preset's values
  bool mend_ini = false;     // accept misspelt keys
  bool mend_timing = false;  // correct known errors in DRAMsim3's timing table
  std::int64_t command_queue = 8;
  bool unified_queue = false;

  void declare(ParameterSet& parameters);

  // Call instead of dram.resolve(). If an .ini file is given, it supplies the organisation, and the
  // timings that `dram` does not set. Throws InputError: file, line, what is wrong, nearest name.
  void resolve(DramParameters& dram) const;
};

// Returns errors for the properties of `dram` that DRAMsim3 cannot represent.
std::vector<ParameterError> dramsim3_errors(const DramParameters& dram);

}  // namespace hmsim
