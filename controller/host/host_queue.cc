// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host/host_queue.h"

#include <string>

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

HostQueue::HostQueue(const HostParameters& parameters, const Assignments& assignments,
                     HostTarget& target)
    : parameters_(parameters),
      target_(target),
      limiter_(
          create_policy<HostLimiter>(PolicyKind::host_limiter, parameters.limiter, assignments)) {
  const bool divided = parameters.queue == HostQueueing::divided;
  limiter_->connect({parameters.entries, divided ? parameters.slow_entries : parameters.entries});
}

void HostQueue::attach(Kernel& kernel, const std::vector<Requester*>& requesters) {
  requesters_ = &requesters;
  kernel_ = &kernel;
  wakeup_ = Wakeup(kernel, kernel.attach(*this));
}

HostQueue::Line& HostQueue::line_of(const Request& request) {
  const std::size_t line = std::size_t{request.source} * kTiers + index_of(tier_of(request));
  if (line >= lines_.size()) {
    lines_.resize(line + 1);
  }
  return lines_[line];
}

bool HostQueue::has_entry(Tier tier) const {
  if (parameters_.queue == HostQueueing::shared) {
    return state_.held[0] + state_.held[1] < parameters_.entries;
  }
  return state_.of(tier) < (tier == Tier::fast ? parameters_.entries : parameters_.slow_entries);
}

bool HostQueue::may_enter(const Request& request, Tick now) {
  const Tier tier = tier_of(request);
  return request.flush ||
         (has_entry(tier) && limiter_->admits(tier, request.source, state_at(now)));
}

void HostQueue::send(const Request& request, Tick now) {
  if (waiting_ == 0 && may_enter(request, now)) {
    enter(request, now);
    return;
  }
  if (!request.flush && parameters_.queue == HostQueueing::shared && !has_entry(tier_of(request))) {
    limiter_->on_full(tier_of(request), state_at(now));
  }
  line_of(request).push(request);
  ++waiting_;
  flushes_waiting_ += request.flush ? 1 : 0;
  enter_waiting(now);
  wakeup_.notify(next_event());
}

// Returns the line whose first request enters next, or nullptr.
HostQueue::Line* HostQueue::next_line(Tick now) {
  std::uint64_t first_slow = ~std::uint64_t{0};
  std::uint64_t first_flush = ~std::uint64_t{0};
  if (flushes_waiting_ > 0) {
    for (std::size_t at = index_of(Tier::slow); at < lines_.size(); at += kTiers) {
      lines_[at].each([&](const Request& each) {
        std::uint64_t& first = each.flush ? first_flush : first_slow;
        first = earlier(first, each.id);
      });
    }
  }
  const auto follows_order = [&](const Request& request) {
    return flushes_waiting_ == 0 || tier_of(request) == Tier::fast ||
           (request.flush ? request.id <= first_slow : request.id < first_flush);
  };
  Line* oldest = nullptr;
  const bool any = parameters_.order == HostOrder::any;
  for (Line& line : lines_) {
    if (!line.empty() && (oldest == nullptr || line.front().id < oldest->front().id) &&
        (!any || (follows_order(line.front()) && may_enter(line.front(), now)))) {
      oldest = &line;
    }
  }
  return oldest != nullptr && (any || may_enter(oldest->front(), now)) ? oldest : nullptr;
}

// Without a free entry only a flush may enter.
void HostQueue::enter_waiting(Tick now) {
  while (waiting_ > 0 && (has_entry(Tier::fast) || has_entry(Tier::slow) || flushes_waiting_ > 0)) {
    Line* const line = next_line(now);
    if (line == nullptr) {
      return;
    }
    const Request request = line->front();
    line->pop();
    --waiting_;
    flushes_waiting_ -= request.flush ? 1 : 0;
    enter(request, now);
  }
}

void HostQueue::enter(Request request, Tick now) {
  request.entered = now;
  if (!request.flush) {
    const Tier tier = tier_of(request);
    state_at(now);
    ++state_.held[index_of(tier)];
    ++counts_.entered[index_of(tier)];
    counts_.wait[index_of(tier)].add((now - request.arrival).value());
    limiter_->on_enter(tier, request.source, state_);
  }
  target_.enter(request, now);
}

void HostQueue::leave(const Request& request, Tick now) {
  const Tier tier = tier_of(request);
  state_at(now);
  --state_.held[index_of(tier)];
  ++state_.left[index_of(tier)];
  limiter_->on_leave(tier, state_);
  enter_waiting(now);
}

const HostView& HostQueue::state_at(Tick now) {
  if (now != state_.now) {
    const auto time = static_cast<std::uint64_t>((now - state_.now).value());
    for (std::size_t tier = 0; tier < kTiers; ++tier) {
      state_.holding[tier] += time * static_cast<std::uint64_t>(state_.held[tier]);
    }
    state_.now = now;
  }
  return state_;
}

void HostQueue::on_admit(const Request& request, Tick now) {
  if (leaves_at_admission(request)) {
    leave(request, now);
  }
  requester_of(request).on_admit(request, now);
}

void HostQueue::on_complete(const Request& request, Tick now) {
  if (!request.flush && !leaves_at_admission(request)) {
    leave(request, now);
  }
  requester_of(request).on_complete(request, now);
}

LineData HostQueue::write_data(const Request& request) const {
  return requester_of(request).write_data(request);
}

void HostQueue::on_read_data(const Request& request, const LineBytes& bytes) {
  requester_of(request).on_read_data(request, bytes);
}

void HostQueue::on_load(LoadLevel level, Tick now) {
  limiter_->on_load(level, now);
  enter_waiting(now);
}

Tick HostQueue::next_event() const {
  return waiting_ > 0 ? limiter_->next_change(kernel_->now()) : kNever;
}

Tick HostQueue::advance(Tick now) {
  enter_waiting(now);
  return next_event();
}

void HostQueue::list_outstanding(std::vector<Outstanding>& requests) const {
  for (const Line& line : lines_) {
    line.each([&](const Request& each) { requests.push_back({each, false}); });
  }
}

void HostQueue::register_statistics(StatisticRegistry& registry) {
  constexpr std::array<const char*, kTiers> kNames{"host.fast.", "host.slow."};
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    const std::string prefix = kNames[tier];
    registry.counter(prefix + "entered", "requests", "requests that entered the host queue",
                     {&counts_.entered[tier]});
    registry.histogram(prefix + "wait_ns", "ns", "from arrival to entry into the host queue",
                       kPicosecondsPerNanosecond, {&counts_.wait[tier]});
    registry.gauge(prefix + "occupancy", "entries", "entries held, mean over time", [this, tier] {
      const HostView& state = state_at(kernel_->now());
      const Tick time = state.now - measured_from_;
      const std::uint64_t held = state.holding[tier] - holding_at_reset_[tier];
      return time == Tick(0) ? 0 : static_cast<double>(held) / static_cast<double>(time.value());
    });
  }
  registry.on_reset([this](Tick now) {
    holding_at_reset_ = state_at(now).holding;
    measured_from_ = now;
  });
}

void HostQueue::serialize(Archive& archive) {
  archive.section("host queue");
  archive(lines_, state_.held, state_.left, state_.holding, holding_at_reset_, state_.now,
          measured_from_, counts_, *limiter_);
  if (archive.loading()) {
    waiting_ = 0;
    flushes_waiting_ = 0;
    for (const Line& line : lines_) {
      line.each([&](const Request& each) {
        archive.check_index(each.agent, requesters_->size(), "request without a requester");
        ++waiting_;
        flushes_waiting_ += each.flush ? 1 : 0;
      });
    }
    archive.check(state_.held[0] >= 0 && state_.held[1] >= 0, "negative number of entries");
  }
}

}  // namespace hmsim
