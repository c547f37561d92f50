// SPDX-License-Identifier: BSD-3-Clause
// Keys of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/agent_placement.h"
#include "agents/frontend_parameters.h"
#include "agents/trace_keys.h"
#include "core/parameters.h"
#include "traces/job_program.h"

namespace hmsim {

struct JobKeys {
  explicit JobKeys(const FrontendParameters& defaults)
      : node(defaults.node), cluster(defaults.cluster), core(defaults.core) {}

  NodeParameters node;  // from the configuration; a job has no such keys
  ClusterParameters cluster;
  CoreParameters core;  // from the configuration, except base_cpi
  TraceKeys trace;
  std::string nodes = "0";
  std::string cores = "0";
  std::int64_t tasks = 1;
  std::int64_t skip = 0;
  std::int64_t instructions = 0;
  std::int64_t flushers = 1;
  double dirty_ratio = 0.2;
  Bytes transfer{128 << 10};
  std::int64_t transfer_gap = 2'000;
  bool skip_idle = false;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;

  // Returns the numbers in `nodes`, ascending and distinct. Empty if the text is invalid.
  std::vector<std::int64_t> node_list() const;
  // Returns the share of `cores` that belongs to node_list()[which]. Cores are divided evenly among
  // nodes, in order. Empty if the text is invalid.
  std::vector<JobCore> node_cores(std::size_t which) const;
  AgentPlacement placement() const;
  // Returns the settings of the copy engine for the NVDIMM of node_list()[which]: no software time,
  // and for each transfer a limit on its outstanding lines.
  NvdimmIo nvdimm_io(std::size_t which) const;
  std::unique_ptr<JobProgram> open(TraceReader reader) const;
};

}  // namespace hmsim
