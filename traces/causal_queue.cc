// SPDX-License-Identifier: BSD-3-Clause
#include "traces/causal_queue.h"

#include <algorithm>
#include <functional>

#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kPicoseconds = 1'000;  // per nanosecond

// Returns ns * scale. Throws InputError past kLongestTime.
Tick scaled(std::uint64_t ns, double scale) {
  const double picoseconds = static_cast<double>(ns) * kPicoseconds * scale;
  if (picoseconds >= static_cast<double>(kLongestTime.value())) {
    throw InputError("a think time exceeds the longest simulated time");
  }
  return Tick(static_cast<std::int64_t>(picoseconds + 0.5));
}

}  // namespace

CausalQueue::Entry& CausalQueue::at(std::uint64_t serial) {
  ensure(serial - first_ < entries_.size(), "block trace", Tick(0), -1,
         "request that waits for one that is not in the queue");
  return entries_[serial - first_];
}

void CausalQueue::begin_pass(Tick now) {
  pass_begin_ = now;
  order_ = InferredOrder();
  entries_.clear();
  ready_.clear();
  first_ = 0;
  held_ = 0;
  in_pass_ = true;
  any_completion_ = false;
}

void CausalQueue::add(const BlockRequest& request) {
  BlockRequest known = request;
  if (!known.completion_ns && parameters_.old_response != Tick(0)) {
    known.completion_ns =
        known.arrival_ns +
        static_cast<std::uint64_t>(parameters_.old_response.value()) / kPicoseconds;
  }
  const RequestCause cause = order_.next(known);
  const std::uint64_t serial = next_serial();
  any_completion_ |= known.completion_ns.has_value();
  if (serial + 1 == kMostHeld) {
    end_trace();
  }
  Entry& entry = entries_.emplace_back();
  ++held_;
  entry.request = request;
  entry.think = scaled(cause.think_ns, draw_factor());
  entry.begin = pass_begin_;
  for (const std::uint64_t parent : cause.parents) {
    Entry& before = at(parent);
    if (before.state == State::ended) {
      entry.begin = later(entry.begin, before.end);
    } else {
      ++entry.awaited;
      before.children.push_back(serial);
    }
  }
  if (cause.parents.empty() && serial > 0) {
    Entry& before = at(serial - 1);
    if (before.state == State::taken || before.state == State::ended) {
      entry.begin = before.begin;
    } else {
      ++entry.awaited;
      before.followed = true;
    }
  }
  if (entry.awaited == 0) {
    make_ready(entry, serial);
  }
}

// Draws a factor for one think time.
double CausalQueue::draw_factor() {
  if (parameters_.think_spread == 0) {
    return parameters_.think_scale;
  }
  constexpr double kHalf = 4'503'599'627'370'496;                              // 2^52
  const double drawn = static_cast<double>(random_.next() >> 11) / kHalf - 1;  // -1 .. 1
  return parameters_.think_scale * (1 + parameters_.think_spread * drawn);
}

void CausalQueue::end_trace() const {
  if (!any_completion_) {
    throw InputError(
        "'inferred' needs completion times, which the trace does not record: set replay: closed or "
        "timed, or old_response to the old device's response time");
  }
}

void CausalQueue::make_ready(Entry& entry, std::uint64_t serial) {
  entry.state = State::ready;
  entry.begin = sum_in_time(entry.begin, entry.think);
  ready_.push_back({entry.begin, serial});
  std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
}

// One of the events that the request waited for happened at `time`.
void CausalQueue::release(std::uint64_t serial, Tick time) {
  Entry& entry = at(serial);
  entry.begin = later(entry.begin, time);
  if (--entry.awaited == 0) {
    make_ready(entry, serial);
  }
}

CausalQueue::Ready CausalQueue::take(Tick now) {
  std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
  const std::uint64_t serial = ready_.back().serial;
  ready_.pop_back();
  Entry& entry = at(serial);
  entry.state = State::taken;
  entry.begin = later(entry.begin, now);
  if (entry.followed) {
    release(serial + 1, entry.begin);
  }
  return {entry.request, serial, entry.begin};
}

void CausalQueue::end(std::uint64_t serial, Tick now) {
  Entry& entry = at(serial);
  entry.state = State::ended;
  entry.end = now;
  --held_;
  for (const std::uint64_t child : entry.children) {
    release(child, now);
  }
  entry.children.clear();
  forget();
}

// Drops ended entries that no later request can depend on. The last entry is kept, because the next
// request may follow it.
void CausalQueue::forget() {
  const std::uint64_t oldest = order_.oldest();
  while (entries_.size() > 1 && entries_.front().state == State::ended && first_ < oldest) {
    entries_.pop_front();
    ++first_;
  }
}

std::int64_t CausalQueue::not_taken() const {
  return std::count_if(entries_.begin(), entries_.end(), [](const Entry& each) {
    return each.state == State::waits || each.state == State::ready;
  });
}

void CausalQueue::serialize(Archive& archive) {
  archive(order_, random_, pass_begin_, entries_, first_, held_, in_pass_, any_completion_);
  if (!archive.loading()) {
    return;
  }
  ready_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].state == State::ready) {
      ready_.push_back({entries_[i].begin, first_ + i});
    }
  }
  std::make_heap(ready_.begin(), ready_.end(), std::greater<>());
}

}  // namespace hmsim
