// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/request_source.h"

#include <utility>

#include "core/errors.h"

namespace hmsim {

void RequestSource::open(const BlockKeys& keys, std::size_t agent, Random random,
                         std::unique_ptr<BlockSource> trace, LeftOutRecords& left_out) {
  rules_ = keys.records;
  if (!keys.handles.none()) {
    Random draws = random;
    handles_.emplace(keys.handles, draws.below(std::uint64_t{1} << 32));
  }
  left_out_ = &left_out;
  trace_ = std::move(trace);
  agent_ = agent;
  timed_ = keys.replay == ReplayMode::timed;
  file_ = keys.trace.path;
  if (keys.replay == ReplayMode::inferred) {
    causal_.emplace(keys.inference, random);
  }
  clock_ = ArrivalClock(keys.trace.path, keys.time_scale);
  skip_ = keys.parts.skip;
  loop_ = keys.parts.loop;
  limit_ = keys.requests;
  windows_ = keys.parts.list();
  if (!windows_.empty()) {
    limit_ = 0;
    for (const TraceWindow& window : windows_) {
      limit_ += window.warmup + window.length;
    }
  }
  open_pass();
}

void RequestSource::fail(const std::string& message) const {
  throw InputError("agent." + std::to_string(agent_) + "." + message);
}

void RequestSource::open_pass() {
  read_ = 0;
  writes_ = 0;
  window_ = 0;
  if (!windows_.empty()) {
    begin_window();
  }
  BlockRequest request;
  for (std::int64_t i = 0; i < skip_; ++i) {
    if (!read(request)) {
      fail("skip: the trace has only " + std::to_string(i) + " requests");
    }
  }
  fetch();
}

bool RequestSource::read(BlockRequest& request) {
  const bool found = rules_.next(*trace_, request, *left_out_);
  if (found && handles_ && request.write) {
    request.handle = handles_->of(request.sector, 0, writes_++);
  }
  return found;
}

void RequestSource::fetch() {
  BlockRequest request;
  const bool found =
      windows_.empty() ? (limit_ == 0 || fetched_ < limit_) && read(request) : read_window(request);
  fetched_ += found ? 1 : 0;
  next_ = found ? std::optional<BlockRequest>(request) : std::nullopt;
}

void RequestSource::begin_window() {
  left_ = windows_[window_].warmup + windows_[window_].length;
  opens_window_ = true;
}

// Reads the next request of the windows; false after the last one. If a window starts before the
// present place in the trace, reads the trace from its start again.
bool RequestSource::read_window(BlockRequest& request) {
  if (left_ == 0) {
    if (++window_ >= windows_.size()) {
      return false;
    }
    begin_window();
  }
  const TraceWindow& window = windows_[window_];
  const std::int64_t wanted = window.skip + window.warmup + window.length - left_;
  if (wanted < read_) {
    trace_->rewind();
    read_ = 0;
    writes_ = 0;
  }
  for (; read_ <= wanted; ++read_) {
    if (!read(request)) {
      fail("windows: window " + std::to_string(window_) + " ends after the trace, which has only " +
           std::to_string(read_) + " requests");
    }
  }
  --left_;
  return true;
}

// Reads requests until the queue is full.
void RequestSource::read_ahead() {
  try {
    while (next_ && causal_->has_room()) {
      causal_->add(*next_);
      fetch();
      if (!next_) {
        causal_->end_trace();
      }
    }
  } catch (const InputError& error) {
    throw InputError(file_ + ": " + error.what());
  }
}

RequestSource::Taken RequestSource::take_causal(Tick now) {
  const CausalQueue::Ready ready = causal_->take(now);
  read_ahead();
  return {ready.request, taken_++, ready.begin, false, ready.serial};
}

void RequestSource::ended(std::uint64_t serial, Tick now) {
  if (causal_) {
    causal_->end(serial, now);
    read_ahead();
  }
}

RequestSource::Taken RequestSource::take(Tick now) {
  if (causal_) {
    return take_causal(now);
  }
  Taken taken{*next_, taken_, now};
  if (opens_window_) {
    opens_window_ = false;
    clock_.restart(later(now, last_begin_));
  }
  if (timed_) {
    const ArrivalClock::Arrival arrival = clock_.arrival(taken.request.arrival_ns);
    taken.begin = later(now, arrival.time);
    held_back_.add((taken.begin - arrival.time).value());
    taken.backward = arrival.backward;
  }
  last_begin_ = taken.begin;
  ++taken_;
  fetch();
  return taken;
}

void RequestSource::begin_pass(Tick now) {
  clock_.restart(now);
  last_begin_ = now;
  if (causal_) {
    causal_->begin_pass(now);
    read_ahead();
  }
}

bool RequestSource::end_pass() {
  passes_ = (passes_ + 1) % loop_;
  trace_->rewind();
  taken_ = 0;
  fetched_ = 0;
  if (causal_) {
    causal_->end_pass();
  }
  open_pass();
  return passes_ == 0;
}

void RequestSource::restart_limit() {
  taken_ = 0;
  passes_ = 0;
  fetched_ = (next_ ? 1 : 0) + (causal_ ? causal_->not_taken() : 0);
  trace_->restart_limit(next_.has_value());
  if (!next_) {
    fetch();
  }
  if (causal_) {
    read_ahead();
  }
}

double RequestSource::fraction(std::int64_t ended) const {
  const double pass =
      limit_ == 0 ? trace_->fraction() : static_cast<double>(ended) / static_cast<double>(limit_);
  return (static_cast<double>(passes_) + pass) / static_cast<double>(loop_);
}

void RequestSource::serialize(Archive& archive) {
  archive(next_, clock_, last_begin_, taken_, passes_, held_back_);
  archive(window_, left_, read_, writes_, opens_window_, fetched_, closed_);
  if (causal_) {
    archive(*causal_);
  }
  trace_->serialize(archive);
  // Requests that were not read must not be handed out.
  archive.check(left_ == 0 || (window_ < windows_.size() && left_ > 0 &&
                               left_ <= windows_[window_].warmup + windows_[window_].length),
                "invalid window of a trace");
}

}  // namespace hmsim
