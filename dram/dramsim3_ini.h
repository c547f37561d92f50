// SPDX-License-Identifier: BSD-3-Clause
// Strict reader for DRAMsim3's .ini files. DRAMsim3 itself uses a default for a missing key and
// ignores an unknown one.
#pragma once

#include <string>

#include "dram/parameters.h"

namespace hmsim {

struct Dramsim3Ini {
  const DramStandardDescriptor* standard = nullptr;
  DramOrganisation organisation;
  DramTiming timing;
  DramPower power;  // as far as the file gives it
};

// Parses an .ini file. Every key must be one that DRAMsim3 reads (or a known ignored key of a
// shipped file), be in its section, and have a value in its range. No required timing may be
// missing. `mend`: accept known misspellings of keys. Throws InputError with one line per error:
// file, line, what is wrong, nearest key.
Dramsim3Ini read_dramsim3_ini(const std::string& text, const std::string& file, bool mend);

}  // namespace hmsim
