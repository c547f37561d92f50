// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a trace a core runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

// Instructions of a trace that are run, and how much they count.
struct TraceWindow {
  std::int64_t skip = 0;  // instructions before it, from the trace's start
  std::int64_t warmup = 0;
  std::int64_t instructions = 0;  // behind the warm-up; at least 1
  double weight = 1;
};

// The keys by which a core that reads a trace names them.
struct TraceParts {
  std::int64_t skip = 0;
  std::int64_t loop = 1;
  std::string windows;  // one after the other: skip=N, warmup=N, instructions=N, weight=X; ...

  void declare(ParameterSet& parameters);
  // Besides: what `instructions`, which windows replace, says.
  std::vector<ParameterError> check(std::int64_t instructions) const;
  // Of keys in which check() finds nothing wrong.
  std::vector<TraceWindow> list() const;

 private:
  std::vector<TraceWindow> parse(std::string& problem) const;
};

}  // namespace hmsim
