// SPDX-License-Identifier: BSD-3-Clause
#include "agents/stream/agent_memory_trace.h"

#include <utility>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kNamedSources = 1 << 16;  // number of sources that a Request can name

}  // namespace

void MemoryTrace::declare(ParameterSet& parameters) {
  StreamAgent::declare(parameters);
  trace_.declare(parameters, format_names(TraceKind::accesses));
  trace_.declare_levels(parameters);
  rules_.declare_bad(parameters);
  parameters.choice<TraceMode>(
      "mode", mode_, {{"saturating", TraceMode::saturating}, {"timed", TraceMode::timed}},
      {"saturating: one request always waits outside the controller, or for a credit of its link, "
       "with at most 4096 in flight over links; timed: at the trace's times, or every `interval`, "
       "with at most 4096 waiting outside",
       "a modelling choice of hmsim"});
  parameters.choice<bool>(
      "sources", sources_of_trace_, {{"agent", false}, {"trace", true}},
      {"source of a request, for policies that distinguish sources: agent: this agent's core; "
       "trace: this core plus the trace's requestor number (format gem5)",
       "a modelling choice of hmsim"});
  parameters.frequency("frequency", frequency_,
                       {"clock of a timed trace's cycles, in whole kilohertz",
                        "the command clock of DDR3-1600, JESD79-3F"});
  parameters.time(
      "interval", interval_,
      {"mode: timed, for traces without times: time from one request to the next, 1ps to 1s",
       "the workload's own"});
  parameters.integer("requests", requests_, {0, std::int64_t{1} << 60}, "requests",
                     {"requests to send; 0: to the trace's end", "the workload's own"});
}

std::vector<ParameterError> MemoryTrace::check() const {
  std::vector<ParameterError> errors = trace_.check(format_names(TraceKind::accesses));
  const FormatDescriptor* format = trace_.descriptor();
  const bool own_times = format != nullptr && format->unit != TimeUnit::none;
  if (format != nullptr && !own_times && mode_ == TraceMode::timed && interval_ == Tick(0)) {
    errors.push_back({"mode", "traces of format '" + trace_.format +
                                  "' record no times: must be 'saturating', or set interval to the "
                                  "time between requests"});
  }
  if (interval_ != Tick(0) && (own_times || mode_ != TraceMode::timed)) {
    errors.push_back({"interval", "needs mode: timed and a trace format without times"});
  }
  if (format != nullptr && !format->names_sources && sources_of_trace_) {
    errors.push_back({"sources", "traces of format '" + trace_.format +
                                     "' record no requestors: must be 'agent'"});
  }
  if (frequency_ % 1'000 != 0) {
    errors.push_back({"frequency", "must be whole kilohertz"});
  }
  return errors;
}

StreamAgent::Bounds MemoryTrace::open() {
  clock_ = RateClock(frequency_ / 1'000);
  unit_ = trace_.descriptor()->unit;
  source_ = trace_.open_accesses(index(), environment());
  const bool timed = mode_ == TraceMode::timed;
  return {timed ? kTimedOutside : 1, kUnbounded, timed ? kUnbounded : kOnLinks, timed};
}

inline Tick MemoryTrace::due(const Access& access) {
  if (unit_ == TimeUnit::none) {
    return std::exchange(due_, sum_in_time(due_, interval_));
  }
  const bool cycles = unit_ == TimeUnit::cycles;
  const std::int64_t last = cycles ? clock_.last_edge() : kLongestTime.value();
  if (access.cycle > static_cast<std::uint64_t>(last)) {
    fail_late(access);
  }
  const auto time = static_cast<std::int64_t>(access.cycle);
  return cycles ? clock_.tick(time) : Tick(time);
}

[[gnu::noinline]] void MemoryTrace::fail_late(const Access& access) const {
  throw RecordError(trace_.path + (unit_ == TimeUnit::cycles ? ": cycle " : ": picosecond ") +
                    std::to_string(access.cycle) +
                    " is beyond the longest simulated time, about 53 days");
}

[[gnu::noinline]] void MemoryTrace::fail_source(const Access& access) const {
  throw RecordError(trace_.path + ": requestor " + std::to_string(access.requestor) +
                    " is too large: must leave at most " + std::to_string(kNamedSources) +
                    " sources");
}

bool MemoryTrace::next(StreamRequest& request) {
  struct Reader {
    MemoryTrace& trace;
    bool next(StreamRequest& record) { return trace.read(record); }
  };
  Reader reader{*this};
  return rules_.next(reader, request, left_out());
}

inline bool MemoryTrace::read(StreamRequest& request) {
  const Access& access = access_;
  if (!source_->next(access_)) {
    return false;
  }
  request.address = access.address;
  request.write = access.write;
  if (sources_of_trace_) {
    if (access.requestor >= kNamedSources - static_cast<std::uint64_t>(core())) {
      fail_source(access);
    }
    request.context = static_cast<std::uint16_t>(access.requestor);
  }
  if (mode_ == TraceMode::timed) {
    request.due = due(access);
  }
  return true;
}

void MemoryTrace::rewind() {
  source_->rewind();
  due_ = Tick(0);
}

void MemoryTrace::serialize_source(Archive& archive) {
  archive(due_);
  source_->serialize(archive);
}

extern const AgentDescriptor kAgent_memory_trace;
const AgentDescriptor kAgent_memory_trace{
    "memory_trace", "a trace of memory requests, sent straight to the controller",
    make_agent<MemoryTrace>};

}  // namespace hmsim
