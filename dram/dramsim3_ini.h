// SPDX-License-Identifier: BSD-3-Clause
// DRAMsim3's .ini files, read strictly: DRAMsim3 itself takes a default for a key that it does not
// find and passes over one that it does not know.
#pragma once

#include <string>

#include "dram/parameters.h"

namespace hmsim {

struct Dramsim3Ini {
  const DramStandardDescriptor* standard = nullptr;
  DramOrganisation organisation;
  DramTiming timing;
  DramPower power;  // what it gives
};

// Every key must be one that DRAMsim3 reads (or, of a shipped file, one that it passes over
// knowingly), stand in its section, and lie in its range; no timing that is used may be missing.
// `mend`: keys whose misspelling is known are taken for what they mean. Throws InputError with one
// line per error: file, line, what is wrong, the nearest key.
Dramsim3Ini read_dramsim3_ini(const std::string& text, const std::string& file, bool mend);

}  // namespace hmsim
