// SPDX-License-Identifier: BSD-3-Clause
#include "agents/stream/memory_trace.h"

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kMostSources = 1 << 16;  // that a Request can name

}  // namespace

void MemoryTrace::declare(ParameterSet& parameters) {
  StreamAgent::declare(parameters);
  trace_.declare(parameters, format_names(kAccessFormats));
  parameters.choice<TraceMode>(
      "mode", mode_, {{"saturating", TraceMode::saturating}, {"timed", TraceMode::timed}},
      {"saturating: always one request waiting outside the controller; timed: at the trace's "
       "times, with at most 4096 waiting outside",
       "a modelling choice of hmsim"});
  parameters.choice<bool>(
      "sources", sources_of_trace_, {{"agent", false}, {"trace", true}},
      {"whose requests these are, for policies that tell sources apart: agent: of this agent's "
       "core; trace: of the core as many behind it as the trace's requestor number says (format "
       "gem5)",
       "a modelling choice of hmsim"});
  parameters.frequency("frequency", frequency_,
                       {"clock of a timed trace's cycles, in whole kilohertz",
                        "the command clock of DDR3-1600, JESD79-3F"});
  parameters.integer("requests", requests_, {0, std::int64_t{1} << 60}, "requests",
                     {"requests to send; 0: to the trace's end", "the workload's own"});
}

std::vector<ParameterError> MemoryTrace::check() const {
  std::vector<ParameterError> errors = trace_.check(format_names(kAccessFormats));
  const AccessFormat* format = find_format(kAccessFormats, trace_.format);
  if (format != nullptr && format->times == AccessTimes::none && mode_ == TraceMode::timed) {
    errors.push_back({"mode", "traces of format '" + trace_.format + "' tell no times"});
  }
  if (format != nullptr && format != &kGem5Format && sources_of_trace_) {
    errors.push_back({"sources", "traces of format '" + trace_.format + "' name no requestors"});
  }
  if (frequency_ < 1'000'000 || frequency_ > 10'000'000'000 || frequency_ % 1'000 != 0) {
    errors.push_back({"frequency", "must be whole kilohertz between 1MHz and 10GHz"});
  }
  return errors;
}

StreamAgent::Bounds MemoryTrace::open() {
  clock_ = EdgeClock(frequency_);
  const AccessFormat& format = *find_format(kAccessFormats, trace_.format);
  times_ = format.times;
  source_ = format.open(trace_.open(index(), surroundings()));
  return {mode_ == TraceMode::timed ? kTimedOutside : 1, kUnbounded};
}

bool MemoryTrace::next(StreamRequest& request) {
  Access access;
  if (!source_->next(access)) {
    return false;
  }
  request = {access.address, access.write, Tick(0)};
  if (sources_of_trace_) {
    if (access.requestor >= kMostSources - static_cast<std::uint64_t>(core())) {
      throw InputError(trace_.path + ": requestor " + std::to_string(access.requestor) +
                       " is too large: there may be " + std::to_string(kMostSources) + " sources");
    }
    request.context = static_cast<std::uint16_t>(access.requestor);
  }
  if (mode_ == TraceMode::timed) {
    const bool cycles = times_ == AccessTimes::cycles;
    const std::int64_t last = cycles ? clock_.last_edge() : kLongestTime.value();
    if (access.cycle > static_cast<std::uint64_t>(last)) {
      throw InputError(trace_.path + (cycles ? ": cycle " : ": picosecond ") +
                       std::to_string(access.cycle) +
                       " lies past the longest simulated time, about 53 days");
    }
    const auto time = static_cast<std::int64_t>(access.cycle);
    request.due = cycles ? clock_.tick(time) : Tick(time);
  }
  return true;
}

const AgentDescriptor kMemoryTraceAgent{"memory_trace",
                                        "a trace of memory requests, straight into the controller",
                                        make_agent<MemoryTrace>};

}  // namespace hmsim
