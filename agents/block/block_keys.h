// SPDX-License-Identifier: BSD-3-Clause
// Keys of a block agent.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/block/arrival_process.h"
#include "agents/block/write_handles.h"
#include "agents/copies.h"
#include "agents/frontend_parameters.h"
#include "agents/stages.h"
#include "agents/trace_keys.h"
#include "core/parameters.h"
#include "traces/causal_queue.h"
#include "traces/column_map.h"
#include "traces/record_rules.h"
#include "traces/trace_windows.h"

namespace hmsim {

enum class ReplayMode { closed, timed, inferred };

struct BlockKeys {
  explicit BlockKeys(const FrontendParameters& defaults)
      : software(defaults.block), persistence(defaults.node.persistence) {}

  TraceKeys trace;
  ColumnMap columns;  // for format csv
  HandleKeys handles;
  RecordRules records;
  BlockParameters software;  // threads and driver
  Tick duration{0};          // 0: no limit
  RunEnd until = RunEnd::finished;
  // io_pattern only:
  std::int64_t depth = 1;  // most requests of a thread under way
  ArrivalKeys arrivals;
  Tick think_time{0};  // after every think_every requests of a thread
  std::int64_t think_every = 1;
  Tick start{0};
  std::int64_t stage = Stages::kNone;

  Persistence persistence;  // from the configuration: what fences may rely on
  ReplayMode replay = ReplayMode::closed;
  double time_scale = 1;
  InferenceParameters inference;  // for replay: inferred
  TraceParts parts{kRequests};
  Copies copies;
  std::int64_t requests = 0;  // limit of a pass; 0: to the end of the trace
  Bytes device_stride{0};     // 0: a sixteenth of the capacity

  void declare(ParameterSet& parameters);
  void declare_end(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
  std::vector<ParameterError> check_software() const;  // of the driver's keys

 private:
  void check_inference(std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim
