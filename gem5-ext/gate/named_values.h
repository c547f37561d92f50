// SPDX-License-Identifier: BSD-3-Clause
// Statistics and parameters as plain names with numbers or text, for host simulators.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"

namespace hmsim {

struct NamedValue {
  std::string name;         // dotted; of a histogram one for each of its numbers
  std::string description;  // with the unit
  double value = 0;         // NaN where there is none
};

// As many, in the same order, whatever the values are.
std::vector<NamedValue> named_values(const std::vector<Statistic>& statistics);

// A dotted name whose parts all begin with a letter: "dram.rank.0.energy_j", "dram.rank0.energy_j".
std::string identifiers(const std::string& name);

// A line NAME=VALUE for each; values that there are none of are left out. Numbers read back
// exactly.
std::string value_lines(const std::vector<NamedValue>& values);
std::string assignment_lines(const Assignments& assignments);

}  // namespace hmsim
