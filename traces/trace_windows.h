// SPDX-License-Identifier: BSD-3-Clause
// The parts of a trace that an agent runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

// A range of instructions or requests to run, and its weight.
struct TraceWindow {
  std::int64_t skip = 0;  // from the trace's start to the warm-up
  std::int64_t warmup = 0;
  std::int64_t length = 0;  // after the warm-up; at least 1
  double weight = 1;
};

// The unit in which parts of a trace are counted.
struct TraceUnit {
  const char* name;  // name of the unit, and of the key that limits it
  const char* skip;  // documentation of the keys
  const char* loop;
  const char* windows;
};
extern const TraceUnit kInstructions;
extern const TraceUnit kRequests;

// Keys that select the parts, for any agent that reads a trace.
struct TraceParts {
  explicit TraceParts(const TraceUnit& counted_in = kInstructions) : unit(&counted_in) {}

  const TraceUnit* unit;
  std::int64_t skip = 0;
  std::int64_t loop = 1;
  std::string windows;  // separated by ';': skip=N, warmup=N, instructions=N, weight=X

  void declare(ParameterSet& parameters);
  // `limit`: the agent's own limit per pass, which windows replace.
  std::vector<ParameterError> check(std::int64_t limit) const;
  // Returns the windows. The keys must have passed check().
  std::vector<TraceWindow> list() const;

 private:
  std::vector<TraceWindow> parse(std::string& problem) const;
};

}  // namespace hmsim
