// SPDX-License-Identifier: BSD-3-Clause
// Descriptor and keys of kind block_trace; block_agent.h describes its behaviour.
#include "agents/block/block_agent.h"
#include "agents/block/block_keys.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr Tick kLongestDuration = 24 * kHour;

}  // namespace

void BlockKeys::declare(ParameterSet& parameters) {
  trace.declare(parameters, format_names(TraceKind::blocks));
  columns.declare(parameters);
  handles.declare(parameters);
  records.declare(parameters);
  software.declare(parameters);
  parameters.choice<ReplayMode>(
      "replay", replay,
      {{"closed", ReplayMode::closed},
       {"timed", ReplayMode::timed},
       {"inferred", ReplayMode::inferred}},
      {"closed: a thread takes the next request when its last one is done; timed: not before its "
       "arrival; inferred: after the earlier requests that it depends on, as far as the trace's "
       "times show, and its think time; threads are then ignored",
       "a modelling choice of hmsim"});
  parameters.real("time_scale", time_scale, 0, 1'000'000, "",
                  {"timed only: factor on the trace's arrival times, in steps of 0.000001",
                   "the workload's own"});
  parameters.real("think_scale", inference.think_scale, 0, 1'000, "",
                  {"inferred only: factor on think times", "the workload's own"});
  parameters.real("think_spread", inference.think_spread, 0, 1, "",
                  {"inferred only: share by which each think time may be shorter or longer, drawn "
                   "by the run's seed; 0: exact think times",
                   "the workload's own"});
  parameters.time("old_response", inference.old_response,
                  {"inferred only: response time of the traced device, for requests without one in "
                   "the trace; 0ps: none",
                   "the workload's own"});
  parts.declare(parameters);
  copies.declare(parameters);
  parameters.integer("requests", requests, {0, std::int64_t{1} << 60}, "requests",
                     {"I/O requests to issue; 0: to the trace's end", "the workload's own"});
  declare_end(parameters);
  parameters.size("device_stride", device_stride, {0, std::int64_t{1} << 46},
                  {"distance between the starts of two devices, in whole 4 KB pages; 0B: a "
                   "sixteenth of the NVDIMM",
                   "a modelling choice of hmsim"});
}

void BlockKeys::declare_end(ParameterSet& parameters) {
  parameters.time(
      "duration", duration,
      {"time from the agent's start, or from the end of a warm-up, after which it takes "
       "no further request and has finished, even if requests remain; 0s: no limit",
       "fio's runtime"},
      kLongestDuration);
  parameters.choice("until", until, {{"finished", RunEnd::finished}, {"steady", RunEnd::steady}},
                    {"steady: the agent has also finished when its rate is steady, as "
                     "frontend.until says",
                     "fio's steadystate"});
}

std::vector<ParameterError> BlockKeys::check() const {
  std::vector<ParameterError> errors = trace.check(format_names(TraceKind::blocks));
  const FormatDescriptor* const format = trace.descriptor();
  append(errors, columns.check(format != nullptr && format->takes_columns));
  append(errors, handles.check());
  if (!columns.handle.empty() && !handles.none()) {
    errors.push_back({"handle", "must be 0, because columns.handle gives the handles"});
  }
  append(errors, check_software());
  append(errors, copies.check());
  append(errors, parts.check(requests));
  check_inference(errors);
  if (device_stride % kPageBytes != Bytes(0)) {
    errors.push_back({"device_stride", "must be a multiple of 4KiB"});
  }
  return errors;
}

std::vector<ParameterError> BlockKeys::check_software() const {
  std::vector<ParameterError> errors;
  if (software.how.write_end == WriteEnd::accepted && persistence == Persistence::module) {
    errors.push_back({"write_end",
                      "'accepted' counts writes as durable that a power failure loses, because "
                      "frontend.node.persistence is 'module': must be 'done'"});
  }
  return errors;
}

void BlockKeys::check_inference(std::vector<ParameterError>& errors) const {
  const FormatDescriptor* const format = find_format(trace.format);
  if (replay != ReplayMode::inferred || format == nullptr) {
    return;
  }
  if (format->clock_is_coarse()) {
    errors.push_back({"replay", "'inferred' needs the order of requests, and times of format '" +
                                    trace.format +
                                    "' are too coarse: must be 'closed' or 'timed'"});
  } else if (!format->has_completions && inference.old_response == Tick(0)) {
    errors.push_back({"replay", "'inferred' needs completion times, which format '" + trace.format +
                                    "' does not record: must be 'closed' or 'timed', or set "
                                    "old_response to the old device's response time"});
  }
  if (!parts.list().empty()) {
    errors.push_back({"windows", "need replay: closed or timed"});
  }
}

extern const AgentDescriptor kAgent_block_trace;
const AgentDescriptor kAgent_block_trace{"block_trace",
                                         "threads that replay a trace of block I/O on the NVDIMM",
                                         make_agent<BlockAgent>};

}  // namespace hmsim
