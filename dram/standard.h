// SPDX-License-Identifier: BSD-3-Clause
// DRAM standard: its parts, timing rules and device currents. Each standard is one file,
// dram/standards/NAME.cc, which defines `kDramStandard_NAME`.
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

// A time that only some standards have.
struct OptionalTime {
  const char* name;
  std::int64_t DramTiming::*time;
  std::int64_t DramTiming::*at_least;  // the time that it lengthens, or nullptr
};

// Currents of one device in milliamperes: IDD0, 2N, 2P, 3N, 4R, 4W, 5, 5C, 6.
struct DeviceCurrents {
  std::int64_t rate;  // MT/s
  std::int64_t megabits;
  int width;  // data lines
  std::array<std::int64_t, 9> idd;
};

// Descriptor of a DRAM standard.
struct DramStandardDescriptor {
  const char* name;                  // in lower case; begins the names of its presets
  const char* document;              // JEDEC document
  std::int64_t max_moved_refreshes;  // refreshes that may be postponed or pulled in
  bool same_bank_refresh;            // has a same-bank refresh command
  const char* dramsim3_protocol;     // its name in DRAMsim3's files; nullptr: not modelled there
  std::int64_t vdd;                  // millivolts
  bool currents_estimated;           // not from a data sheet
  std::vector<OptionalTime> (*own_times)();
  std::vector<DeviceCurrents> (*currents)();
  std::vector<DramPreset> (*presets)();
  std::vector<TimingRule> (*rules)(const DramParameters& dram);  // see timing_rules()
  const CommandProtocol* protocol = nullptr;  // nullptr: each command takes one slot of one bus
  bool refresh_management = false;            // has RFM commands, and they are modelled
};

extern const DescriptorTable<DramStandardDescriptor> kDramStandardTable;

// Returns the timing rules of the part that `dram` describes. `dram` must be resolved. The
// standard's rules count to and from the last slot of an activate; these count between first slots.
inline std::vector<TimingRule> timing_rules(const DramParameters& dram) {
  std::vector<TimingRule> rules = dram.standard->rules(dram);
  for (TimingRule& rule : rules) {
    const int slots = (rule.preceding == Command::activate) - (rule.following == Command::activate);
    rule.latency += slots * dram.activate_delay();
  }
  return rules;
}

}  // namespace hmsim
