// SPDX-License-Identifier: BSD-3-Clause
// Statistics and parameters as plain names with numbers or text, for host simulators.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"

namespace hmsim {

struct NamedValue {
  std::string name;         // dotted; a histogram gives one for each of its numbers
  std::string description;  // includes the unit
  double value = 0;         // NaN if absent
};

// Returns the values of all statistics. Number and order do not depend on the values.
std::vector<NamedValue> named_values(const std::vector<Statistic>& statistics);

// Joins parts of a dotted name so that every part begins with a letter: "dram.rank.0.energy_j"
// becomes "dram.rank0.energy_j".
std::string identifiers(const std::string& name);

// Formats one line NAME=VALUE each. Absent values are omitted. Numbers parse back exactly.
std::string value_lines(const std::vector<NamedValue>& values);
std::string assignment_lines(const Assignments& assignments);

}  // namespace hmsim
