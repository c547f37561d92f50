// SPDX-License-Identifier: BSD-3-Clause
#include "embed/named_values.h"

#include <cmath>
#include <limits>
#include <sstream>

namespace hmsim {

std::vector<NamedValue> named_values(const std::vector<Statistic>& statistics) {
  std::vector<NamedValue> values;
  for (const Statistic& statistic : statistics) {
    const auto add = [&](const std::string& part, const std::string& unit, double value) {
      const std::string suffix = unit.empty() ? "" : ", " + unit;
      values.push_back({statistic.path + part, statistic.description + suffix, value});
    };
    const auto present = [&](double value) {
      return statistic.present ? value : std::numeric_limits<double>::quiet_NaN();
    };
    if (statistic.kind == StatisticKind::histogram) {
      for (const auto& [part, value] : statistic.summary) {
        add("." + part, statistic.unit, present(value));
      }
      add(".count", "", static_cast<double>(statistic.count));
    } else if (statistic.kind == StatisticKind::counter) {
      add("", statistic.unit, static_cast<double>(statistic.count));
    } else {
      add("", statistic.unit, present(statistic.value));
    }
  }
  return values;
}

std::string identifiers(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool number_follows = i + 1 < name.size() && name[i + 1] >= '0' && name[i + 1] <= '9';
    if (name[i] != '.' || !number_follows) {
      result += name[i];
    }
  }
  return result;
}

std::string value_lines(const std::vector<NamedValue>& values) {
  std::ostringstream lines;
  lines.precision(std::numeric_limits<double>::max_digits10);
  for (const NamedValue& value : values) {
    if (!std::isnan(value.value)) {
      lines << value.name << '=' << value.value << '\n';
    }
  }
  return lines.str();
}

std::string assignment_lines(const Assignments& assignments) {
  std::string lines;
  for (const auto& [name, value] : assignments) {
    lines += name;
    lines += '=';
    lines += value;
    lines += '\n';
  }
  return lines;
}

}  // namespace hmsim
