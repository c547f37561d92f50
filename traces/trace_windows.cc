// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_windows.h"

#include <string_view>

#include "core/errors.h"
#include "core/text.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 48;
constexpr std::int64_t kMostLoops = 1'000'000;
constexpr std::size_t kMostWindows = 1'000;
constexpr double kLargestWeight = 1e9;

std::string set_count(std::string_view text, const TraceUnit& unit, std::int64_t least,
                      std::int64_t& field) {
  const Parsed<std::int64_t> parsed = parse_integer(text);
  if (!parsed.value || *parsed.value < least || *parsed.value > kLongest) {
    return "'" + std::string(text) + "' is not a number of " + unit.name + " from " +
           std::to_string(least) + " to 2^48";
  }
  field = *parsed.value;
  return "";
}

std::string set_weight(std::string_view text, double& field) {
  const Parsed<double> parsed = parse_real(text);
  if (!parsed.value || !(*parsed.value > 0) || *parsed.value > kLargestWeight) {
    return "'" + std::string(text) + "' is not a number above 0";
  }
  field = *parsed.value;
  return "";
}

std::string set(TraceWindow& window, const TraceUnit& unit, std::string_view key,
                std::string_view value) {
  std::string problem;
  if (key == "skip") {
    problem = set_count(value, unit, 0, window.skip);
  } else if (key == "warmup") {
    problem = set_count(value, unit, 0, window.warmup);
  } else if (key == unit.name) {
    problem = set_count(value, unit, 1, window.length);
  } else if (key == "weight") {
    problem = set_weight(value, window.weight);
  } else {
    return "'" + std::string(key) + "' is not one of skip, warmup, " + unit.name + ", weight" +
           did_you_mean(key, {"skip", "warmup", unit.name, "weight"});
  }
  return problem.empty() ? "" : std::string(key) + ": " + problem;
}

}  // namespace

const TraceUnit kInstructions{
    "instructions", "instructions to skip at the trace's start",
    "passes through the trace, or its windows, before the agent has finished",
    "parts of the trace to run, one after the other, each with its skip, warmup, instructions and "
    "weight; replaces skip and instructions"};
const TraceUnit kRequests{
    "requests", "requests to skip at the trace's start",
    "passes through the requests, or the windows, before the agent has finished",
    "parts of the trace to replay, one after the other, each with its skip, warmup, requests and "
    "weight; replaces skip and requests"};

void TraceParts::declare(ParameterSet& parameters) {
  parameters.integer("skip", skip, {0, kLongest}, unit->name, {unit->skip, "the workload's own"});
  parameters.integer("loop", loop, {1, kMostLoops}, "times", {unit->loop, "the workload's own"});
  parameters.text("windows", windows,
                  {unit->windows, "SimPoint (Sherwood et al., ASPLOS 2002) gives such lists"});
}

std::vector<ParameterError> TraceParts::check(std::int64_t limit) const {
  std::string problem;
  const std::vector<TraceWindow> found = parse(problem);
  std::vector<ParameterError> errors;
  if (!problem.empty()) {
    errors.push_back({"windows", problem});
  }
  if (!windows.empty() && skip != 0) {
    errors.push_back({"skip", "must be 0 with windows: each window has its own"});
  }
  if (!windows.empty() && limit != 0) {
    errors.push_back({unit->name, "must be 0 with windows: each window has its own"});
  }
  return errors;
}

std::vector<TraceWindow> TraceParts::list() const {
  std::string problem;
  return parse(problem);
}

std::vector<TraceWindow> TraceParts::parse(std::string& problem) const {
  std::vector<TraceWindow> found;
  std::string_view rest = windows;
  while (!rest.empty() && problem.empty()) {
    std::string_view text = cut(rest, ';');
    TraceWindow window;
    while (!text.empty() && problem.empty()) {
      std::string_view value = cut(text, ',');
      const std::string_view key = cut(value, '=');
      problem = set(window, *unit, key, trimmed(value));
    }
    if (problem.empty() && window.length == 0) {
      problem = std::string(unit->name) + ": is required";
    }
    found.push_back(window);
    if (problem.empty() && found.size() > kMostWindows) {
      problem = "more than " + std::to_string(kMostWindows);
    }
    if (!problem.empty()) {
      problem.insert(0, "window " + std::to_string(found.size() - 1) + ": ");
    }
  }
  return found;
}

}  // namespace hmsim
