// SPDX-License-Identifier: BSD-3-Clause
// A DRAM standard: its parts, its timing rules and the currents of its devices. Each lies in a file
// of its own, dram/standards/NAME.cc, which defines `kDramStandard_NAME`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/descriptor_table.h"
#include "dram/command_slots.h"
#include "dram/parameters.h"
#include "dram/presets.h"
#include "dram/timing_rules.h"

namespace hmsim {

// A time that some standards have and others do not.
struct OwnTime {
  const char* name;
  std::int64_t DramTiming::*time;
  std::int64_t DramTiming::*at_least;  // the time that it lengthens; nullptr: none
};

// Currents of one device in milliamperes: IDD0, 2N, 2P, 3N, 4R, 4W, 5, 5C, 6.
struct DeviceCurrents {
  std::int64_t rate;  // MT/s
  std::int64_t megabits;
  int width;  // data lines
  std::array<std::int64_t, 9> idd;
};

struct DramStandardDescriptor {
  const char* name;                   // in lower case, as presets' names begin
  const char* document;               // of JEDEC
  std::int64_t most_moved_refreshes;  // that may be put off, or made ahead of time
  bool same_bank_refresh;             // has a command for it
  const char* dramsim3_protocol;      // its name in DRAMsim3's files; nullptr: not modelled there
  std::int64_t vdd;                   // millivolts
  bool currents_estimated;            // of no data sheet
  std::vector<OwnTime> (*own_times)();
  std::vector<DeviceCurrents> (*currents)();
  std::vector<DramPreset> (*presets)();
  std::vector<TimingRule> (*rules)(const DramParameters& dram);
  const CommandProtocol* protocol = nullptr;  // nullptr: each command takes one slot of one bus
};

extern const DescriptorTable<DramStandardDescriptor> kDramStandardTable;

// The rules of the part that `dram`, which is resolved, describes.
inline std::vector<TimingRule> timing_rules(const DramParameters& dram) {
  return dram.standard->rules(dram);
}

}  // namespace hmsim
