// SPDX-License-Identifier: BSD-3-Clause
// Kind block_trace: its descriptor and its keys; agents/block/block_agent.h says what it does.
#include "agents/block/block_agent.h"
#include "agents/block/block_keys.h"
#include "traces/trace_formats.h"

namespace hmsim {

void BlockKeys::declare(ParameterSet& parameters) {
  trace.declare(parameters, format_names(TraceKind::blocks));
  software.declare(parameters);
  parameters.choice<ReplayMode>(
      "replay", replay, {{"closed", ReplayMode::closed}, {"timed", ReplayMode::timed}},
      {"closed: a thread takes the next request when its last is done; timed: not before its "
       "arrival",
       "a modelling choice of hmsim"});
  parameters.real("time_scale", time_scale, 0, 1'000'000, "",
                  {"timed only: factor on the trace's arrival times, in steps of 0.000001",
                   "the workload's own"});
  parts.declare(parameters);
  copies.declare(parameters);
  parameters.integer("requests", requests, {0, std::int64_t{1} << 60}, "requests",
                     {"I/O requests to carry out; 0: to the trace's end", "the workload's own"});
  parameters.size("device_stride", device_stride, {0, std::int64_t{1} << 46},
                  {"distance of the places where devices begin, in whole 4 KB pages; 0B: a "
                   "sixteenth of the NVDIMM",
                   "a modelling choice of hmsim"});
}

std::vector<ParameterError> BlockKeys::check() const {
  std::vector<ParameterError> errors = trace.check(format_names(TraceKind::blocks));
  for (const ParameterError& error : software.check()) {
    errors.push_back(error);
  }
  for (const ParameterError& error : copies.check()) {
    errors.push_back(error);
  }
  for (const ParameterError& error : parts.check(requests)) {
    errors.push_back(error);
  }
  if (device_stride % kPageBytes != Bytes(0)) {
    errors.push_back({"device_stride", "must be a multiple of 4KiB"});
  }
  return errors;
}

extern const AgentDescriptor kAgent_block_trace;
const AgentDescriptor kAgent_block_trace{
    "block_trace", "threads that carry out a trace of block I/O on the NVDIMM",
    make_agent<BlockAgent>};

}  // namespace hmsim
