// SPDX-License-Identifier: BSD-3-Clause
// Does every parameter accept exactly the values of its listing?
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "simulation/configuration.h"
#include "simulation/simulation.h"

namespace hmsim::testing {

namespace {

// Returns the value just below (-1) or above (1) a text that a user could write; "" if it does not
// fit.
using Neighbour = std::function<std::string(std::string_view text, int step)>;

template <class Parse, class Format>
Neighbour neighbour_of(Parse parse, Format format) {
  return [=](std::string_view text, int step) -> std::string {
    using Value = std::decay_t<decltype(*parse(text).value)>;
    const Value value = parse(text).value.value();
    if constexpr (std::is_same_v<Value, double>) {
      return format(std::nextafter(value, step * std::numeric_limits<double>::infinity()));
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
      const bool last = value == std::numeric_limits<std::int64_t>::max() && step > 0;
      return last ? "" : format(value + step);
    } else {
      const bool last = value.value() == std::numeric_limits<std::int64_t>::max() && step > 0;
      return last ? "" : format(Value(value.value() + step));
    }
  };
}

// By parameter type.
const std::map<std::string, Neighbour>& neighbours() {
  static const auto of = [](const UnitScale& scale) -> Neighbour {
    return [&](auto text, int step) { return scale.format(*scale.parse(text).value + step); };
  };
  static const std::map<std::string, Neighbour> all{
      {"integer",
       neighbour_of(parse_integer, [](std::int64_t value) { return std::to_string(value); })},
      {"time", neighbour_of(parse_time, format_time)},
      {"size", neighbour_of(parse_size, format_size)},
      {"frequency", of(kFrequencies)},
      {"voltage", of(kVoltages)},
      {"current", of(kCurrents)},
      {"real", neighbour_of(parse_real, format_real)},
      {"rate", [](std::string_view text, int step) {
         return of(text.find("b/s") != text.npos ? kBitRates : kTransferRates)(text, step);
       }}};
  return all;
}

// Returns the parts of "a | b" or "off | 1 .. 8".
std::vector<std::string> alternatives(const std::string& range) {
  constexpr std::string_view kBetween = " | ";
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + kBetween.size()) {
    end = range.find(kBetween, begin);
    parts.push_back(range.substr(begin, end - begin));
  }
  return parts;
}

void expect(ParameterSet& set, const std::string& name, const std::string& value, bool accepted) {
  EXPECT_EQ(set.apply({{name, value}}).empty(), accepted) << name << ": '" << value << "'";
}

void expect_range_kept(ParameterSet& set, const ParameterInfo& info) {
  SCOPED_TRACE(info.range);
  for (const std::string& part : alternatives(info.range)) {
    constexpr std::string_view kTo = " .. ";
    const std::size_t to = part.find(kTo);
    if (to == std::string::npos) {
      expect(set, info.name, part, true);
      continue;
    }
    const std::string low = part.substr(0, to);
    const std::string high = part.substr(to + kTo.size());
    const Neighbour& neighbour = neighbours().at(info.type);
    expect(set, info.name, low, true);
    expect(set, info.name, high, true);
    expect(set, info.name, neighbour(low, -1), false);
    expect(set, info.name, neighbour(high, 1), false);
  }
  expect(set, info.name, "no such value", false);
  expect(set, info.name, "", false);
}

// Returns the number of parameters that have a range.
int expect_ranges_kept(ParameterSet& set) {
  int ranges = 0;
  for (const ParameterInfo& info : set.describe()) {
    if (info.type != "text") {
      expect_range_kept(set, info);
      ++ranges;
    }
  }
  return ranges;
}

TEST(AcceptedValues, MatchTheListOfParameters) {
  Configuration configuration;
  ParameterSet set = configuration.parameters();
  EXPECT_EQ(set.names().size(), Simulation::parameters().size());
  EXPECT_GT(expect_ranges_kept(set), 400);
}

TEST(AcceptedValues, MatchTheListOfAgentKeys) {
  for (const std::string& kind : agent_kinds()) {
    SCOPED_TRACE(kind);
    const std::unique_ptr<Agent> agent = find_agent(kind)->make(FrontendParameters());
    ParameterSet set;
    agent->declare(set);
    EXPECT_GT(expect_ranges_kept(set), 5);
  }
}

}  // namespace

}  // namespace hmsim::testing
