// SPDX-License-Identifier: BSD-3-Clause
// The keys of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/node/node_parameters.h"
#include "agents/trace_keys.h"
#include "core/parameters.h"
#include "traces/job_program.h"

namespace hmsim {

struct JobKeys {
  explicit JobKeys(const NodeParameters& machine) : node(machine) {}

  NodeParameters node;  // the configuration's: its keys are none of a job's
  TraceKeys trace;
  std::string cores = "0";
  std::int64_t tasks = 1;
  std::int64_t skip = 0;
  std::int64_t instructions = 0;
  std::int64_t flushers = 1;
  double dirty_ratio = 0.2;
  Bytes transfer{128 << 10};
  std::int64_t transfer_gap = 2'000;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;

  // The numbers of `cores`, ascending, each once; none if the text is wrong.
  std::vector<std::int64_t> core_list() const;
  std::unique_ptr<JobProgram> open(TraceReader reader) const;
};

}  // namespace hmsim
