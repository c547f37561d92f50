// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/core_agent.h"

#include <algorithm>

#include "agents/core/core_steps.h"

namespace hmsim {

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;
constexpr std::int64_t kMostAhead = 256;  // records dispatched ahead of time

}  // namespace

void CoreAgent::declare(ParameterSet& parameters) {
  declare_core(parameters);
  Agent::declare(parameters);
  parameters_.declare(parameters);
  copies_.declare(parameters);
}

std::vector<ParameterError> CoreAgent::check() const {
  std::vector<ParameterError> errors = parameters_.check();
  for (const ParameterError& error : copies_.check()) {
    errors.push_back(error);
  }
  return errors;
}

std::uint64_t CoreAgent::offset(MemoryClass memory) const {
  return copies_.offset(environment().port->capacity(memory));
}

void CoreAgent::prepare() {
  slots_ = {RateClock(parameters_.slots_per_millisecond()), parameters_.slots_of(1)};
  const std::int64_t records = parameters_.window + 2 + (runs_ahead_ ? kMostAhead : 0);
  std::size_t size = 1;
  while (size < static_cast<std::size_t>(records)) {
    size *= 2;
  }
  entries_.resize(size);
  mask_ = size - 1;
  parts_.open("agent." + std::to_string(index()));
  open();
  limit_index_ = instructions_ == 0 ? kNoLimit : instructions_;
  begin();
}

void CoreAgent::empty_window(std::int64_t slot) {
  first_ = applied_ = known_ = end_;
  Entry& before = entry(first_ - 1);
  before = Entry();
  before.dispatch = slot - 1;
  before.retire = slot - 1 + cycle_slots();
  last_index_ = 0;
  last_slot_ = slot - 1;
}

void CoreAgent::rest(std::int64_t slot) {
  empty_window(slot);
  have_record_ = false;
  next_index_ = 0;
  next_slot_ = slot;
  decide_end();
  act_time_ = kNever;
}

void CoreAgent::start_pass(std::int64_t slot) {
  empty_window(slot);
  parts_.start_pass();
  fetch(*this);
  next_slot_ = std::max(next_slot_, slot);
  plan();
}

void CoreAgent::each_record(bool to_limit, const std::function<bool()>& visit) {
  while ((to_limit ? !ending_ : have_record_) && parts_.in_first_turn() && visit()) {
    last_index_ = next_index_;
    fetch(*this);
  }
}

void CoreAgent::pass_ended(std::int64_t slot, Tick now) {
  finish(now);
  end_pass();
  rewind();
  start_pass(slot + 1);
}

std::optional<std::int64_t> CoreAgent::cut_pass(Tick now) {
  const bool had_record = !ending_;
  const std::int64_t slot = slots_.edge_at_or_after(now + Tick(1)) - 1;
  const std::int64_t end = ending_ ? end_index_ : next_index_;
  const std::int64_t most = ending_ ? end : end - 1;
  const std::int64_t past = known_ == end_ ? std::max<std::int64_t>(0, slot - last_slot_) : 0;
  const std::int64_t in_window = retired(now) + parameters_.window;
  const std::int64_t cut = std::max(last_index_, std::min({most, last_index_ + past, in_window}));
  Entry& last = entry(known_ - 1);
  if (known_ == end_ && last.retire + (cut - last.index) <= slot) {
    // All of it retired before now: that is when the pass ends.
    last.index = last_index_ = cut;
    last.retire = slot + 1;
    first_ = applied_ = known_ = end_;
  }
  have_record_ = false;
  stalled_ = false;
  next_index_ = cut;
  decide_end();
  plan();
  return had_record || cut < end ? std::optional<std::int64_t>(end - cut) : std::nullopt;
}

void CoreAgent::end_pass() {
  before_pass_ += end_index_;
  measured_before_ = 0;
  limit_index_ = instructions_ == 0 ? kNoLimit : instructions_;
}

void CoreAgent::unblock(Tick now) {
  if (stalled_) {
    stalled_ = false;
    next_slot_ = std::max(next_slot_, slots_.edge_at_or_after(now));
    plan();
    notify();
  }
}

std::int64_t CoreAgent::first_unretired(Tick now) const {
  const std::int64_t slot = slots_.edge_at_or_after(now + Tick(1)) - 1;  // last one not after now
  std::int64_t next = first_;
  for (std::int64_t count = known_ - first_; count > 0;) {
    const std::int64_t half = count / 2;
    const bool past = entry(next + half).retire <= slot;
    next = past ? next + half + 1 : next;
    count = past ? count - half - 1 : half;
  }
  return next;
}

// The number is exact: after the last entry whose retirement is past, one instruction retires per
// slot, up to the next entry.
std::int64_t CoreAgent::retired(Tick now) const {
  const std::int64_t slot = slots_.edge_at_or_after(now + Tick(1)) - 1;
  const std::int64_t next = first_unretired(now);
  const Entry& last = entry(next - 1);
  const std::int64_t bound =
      next < end_ ? entry(next).index - 1 : (ending_ ? end_index_ : next_index_ - 1);
  const std::int64_t steady = last.index + std::max<std::int64_t>(0, slot - last.retire);
  return std::max(last.index, std::min(steady, bound));
}

void CoreAgent::restart_limit(Tick now) {
  measured_before_ = retired(now);
  parts_.restart_measuring();
  if (instructions_ != 0) {
    limit_index_ = std::max(measured_before_ + instructions_, last_index_);
    decide_end();
    if (ending_) {
      stalled_ = false;
    } else {
      next_slot_ = std::max(next_slot_, slots_.edge_at_or_after(now));
    }
    plan();
    notify();
  }
}

double CoreAgent::pass_fraction(Tick now) const {
  const auto done = static_cast<double>(retired(now) - measured_before_);
  if (instructions_ != 0) {
    return std::min(1.0, done / static_cast<double>(instructions_));
  }
  return parts_.fraction(done, source_fraction());
}

}  // namespace hmsim
