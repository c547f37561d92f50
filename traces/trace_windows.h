// SPDX-License-Identifier: BSD-3-Clause
// The parts of a trace that an agent runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

// Instructions or requests of a trace that are run, and how much they count.
struct TraceWindow {
  std::int64_t skip = 0;  // before it, from the trace's start
  std::int64_t warmup = 0;
  std::int64_t length = 0;  // behind the warm-up; at least 1
  double weight = 1;
};

// The unit that parts of a trace are counted in.
struct TraceUnit {
  const char* name;  // of it, and of the key that limits them
  const char* skip;  // docs of the keys
  const char* loop;
  const char* windows;
};
extern const TraceUnit kInstructions;
extern const TraceUnit kRequests;

// The keys by which an agent that reads a trace names them.
struct TraceParts {
  explicit TraceParts(const TraceUnit& counted_in = kInstructions) : unit(&counted_in) {}

  const TraceUnit* unit;
  std::int64_t skip = 0;
  std::int64_t loop = 1;
  std::string windows;  // one after the other: skip=N, warmup=N, instructions=N, weight=X; ...

  void declare(ParameterSet& parameters);
  // `limit`: the agent's own limit of a pass, which windows replace.
  std::vector<ParameterError> check(std::int64_t limit) const;
  // The windows, of keys in which check() finds nothing wrong.
  std::vector<TraceWindow> list() const;

 private:
  std::vector<TraceWindow> parse(std::string& problem) const;
};

}  // namespace hmsim
