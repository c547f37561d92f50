// SPDX-License-Identifier: BSD-3-Clause
#include "traces/inferred_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kJudgedEach = 64;  // bursts between two evaluations of open_
constexpr double kSteady = 0.8;  // minimum ratio of the rate with many outstanding to that with few

}  // namespace

InferredOrder::InferredOrder() : time_ns_(kMostUnderWay + 1), bursts_(kMostUnderWay + 1) {}

RequestCause InferredOrder::next(const BlockRequest& request) {
  const std::uint64_t before = now_ns_;
  const bool first = number_ == 0;
  if (first) {
    now_ns_ = request.arrival_ns;
  }
  const std::uint64_t arrival = std::max(request.arrival_ns, now_ns_);
  const bool bursts = first || arrival != before;
  pass_time(arrival);
  RequestCause cause;
  if (bursts) {
    begin_burst();
    cause = cause_at(arrival);
  }
  if (bursts && !first && cause.parents.empty()) {
    cause.think_ns = arrival - before;
  }
  if (request.completion_ns) {
    if (under_way_.size() == kMostUnderWay) {
      throw InputError("more than " + std::to_string(kMostUnderWay) +
                       " requests are in flight at a time: 'inferred' cannot replay this trace");
    }
    under_way_.push_back({std::max(*request.completion_ns, arrival), number_});
    std::push_heap(under_way_.begin(), under_way_.end(), std::greater<>());
  }
  ++number_;
  return cause;
}

// Advances to `until_ns`. Requests that complete by then become candidates for a successor.
void InferredOrder::pass_time(std::uint64_t until_ns) {
  while (!under_way_.empty() && under_way_.front().completion_ns <= until_ns) {
    const EarlierCommand done = under_way_.front();
    time_ns_[under_way_.size()] += done.completion_ns - now_ns_;
    now_ns_ = done.completion_ns;
    std::pop_heap(under_way_.begin(), under_way_.end(), std::greater<>());
    under_way_.pop_back();
    unclaimed_.push_back(done);
  }
  time_ns_[under_way_.size()] += until_ns - now_ns_;
  now_ns_ = until_ns;
  while (unclaimed_.size() > kMostUnderWay) {
    unclaimed_.pop_front();
  }
}

// Returns the cause of a burst's first request. Without parents it follows the request before it.
RequestCause InferredOrder::cause_at(std::uint64_t arrival_ns) {
  RequestCause cause;
  if (open_) {
    unclaimed_.clear();
  }
  if (unclaimed_.empty()) {
    return cause;
  }
  if (under_way_.empty()) {
    cause.think_ns = arrival_ns - unclaimed_.back().completion_ns;
    for (auto past = unclaimed_.rbegin();
         past != unclaimed_.rend() && cause.parents.size() < kMostParents; ++past) {
      cause.parents.push_back(past->number);
    }
    unclaimed_.clear();
  } else {
    cause.think_ns = arrival_ns - unclaimed_.front().completion_ns;
    cause.parents.push_back(unclaimed_.front().number);
    unclaimed_.pop_front();
  }
  return cause;
}

void InferredOrder::begin_burst() {
  ++bursts_[under_way_.size()];
  if (++all_bursts_ % kJudgedEach == 0) {
    open_ = looks_open();
  }
}

// Compares burst rates in the two halves of the time: with few and with many outstanding requests.
// The cut is the number of outstanding requests below which half of the time was spent.
bool InferredOrder::looks_open() const {
  const std::uint64_t whole = std::accumulate(time_ns_.begin(), time_ns_.end(), std::uint64_t{0});
  std::size_t cut = 0;
  std::uint64_t few_time = 0;
  std::uint64_t few_bursts = 0;
  for (; cut < time_ns_.size() && few_time < (whole + 1) / 2; ++cut) {
    few_time += time_ns_[cut];
    few_bursts += bursts_[cut];
  }
  const double many_time = static_cast<double>(whole - few_time);
  const double many_bursts = static_cast<double>(all_bursts_ - few_bursts);
  return many_time > 0 && many_bursts * static_cast<double>(few_time) >
                              kSteady * static_cast<double>(few_bursts) * many_time;
}

std::uint64_t InferredOrder::oldest() const {
  std::uint64_t oldest = number_;
  for (const EarlierCommand& each : under_way_) {
    oldest = std::min(oldest, each.number);
  }
  for (const EarlierCommand& each : unclaimed_) {
    oldest = std::min(oldest, each.number);
  }
  return oldest;
}

void InferredOrder::serialize(Archive& archive) {
  archive(number_, now_ns_, under_way_, unclaimed_);
  archive.fixed(time_ns_);
  archive.fixed(bursts_);
  archive(all_bursts_, open_);
  archive.check(under_way_.size() <= kMostUnderWay, "too many requests of a trace in flight");
}

}  // namespace hmsim
