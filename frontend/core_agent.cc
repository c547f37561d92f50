// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/core_agent.h"

#include <algorithm>
#include <limits>

#include "core/archive.h"
#include "core/errors.h"
#include "frontend/translation.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kPosted = 0xFFFFFFFF;  // tag of writes
constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

}  // namespace

void CoreAgent::Entry::serialize(Archive& archive) {
  archive(index, dispatch, ready, retire, address, memory, waiter);
}

void CoreAgent::declare(ParameterSet& parameters) {
  Agent::declare(parameters);
  parameters_.declare(parameters);
}

void CoreAgent::prepare() {
  slots_ = EdgeClock(parameters_.frequency, parameters_.width);
  std::size_t size = 1;
  while (size < static_cast<std::size_t>(parameters_.window) + 1) {
    size *= 2;
  }
  entries_.resize(size);
  mask_ = size - 1;
  source_ = open_source();
  nvdimm_bytes_ =
      static_cast<std::uint64_t>(surroundings().port->capacity(MemoryClass::nvdimm).value());
  if (source_->has_nvdimm() && nvdimm_bytes_ == 0) {
    throw InputError("agent." + std::to_string(index()) +
                     ": its trace has lines of an NVDIMM, and the configuration has none");
  }
  limit_index_ = instructions_ == 0 ? kNoLimit : instructions_;
  start_pass(0);
}

void CoreAgent::start_pass(std::int64_t slot) {
  first_ = applied_ = known_ = end_;
  base_ = Entry();
  base_.dispatch = slot - 1;
  base_.retire = slot - 1 + parameters_.width;
  last_index_ = 0;
  last_slot_ = slot - 1;
  last_load_ = kUnknown;
  last_load_ready_ = 0;
  fetch();
  next_slot_ = std::max(next_slot_, slot);
  plan();
}

void CoreAgent::fetch() {
  have_miss_ = source_->next(miss_);
  next_index_ = last_index_ + miss_.gap;
  next_slot_ = last_slot_ + miss_.gap;
  decide_end();
}

void CoreAgent::decide_end() {
  ending_ = !have_miss_ || next_index_ > limit_index_;
  end_index_ = std::min(next_index_, limit_index_);
}

// When the next record is dispatched, or the pass ends: kNever while that depends on a completion.
void CoreAgent::plan() {
  act_time_ = kNever;
  if (ending_) {
    if (known_ == end_) {
      const Entry& last = known_ == first_ ? base_ : entry(known_ - 1);
      act_time_ =
          slots_.tick(std::max(last.retire + (end_index_ - last.index),
                               last_slot_ + (end_index_ - last_index_) + parameters_.width));
    }
    return;
  }
  const std::int64_t leaves = next_index_ - parameters_.window;
  while (applied_ < end_ && entry(applied_).index <= leaves) {
    if (applied_ == known_) {
      return;
    }
    const Entry& left = entry(applied_);
    next_slot_ = std::max(next_slot_, left.retire + (leaves - left.index) + 1);
    ++applied_;
  }
  if (!stalled_on_writes_) {
    act_time_ = slots_.tick(next_slot_);
  }
}

Tick CoreAgent::next_event() const { return earlier(act_time_, steps_.next_time()); }

void CoreAgent::advance(Tick now) {
  while (next_event() <= now) {
    if (steps_.next_time() <= now) {
      const auto step = steps_.pop();
      if (step.kind == Step::send_reserved) {
        send_load(step.payload, now);
      } else {
        issue(step.payload, now);
      }
    } else {
      act(now);
    }
  }
}

void CoreAgent::act(Tick now) {
  if (ending_) {
    const std::int64_t slot = slots_.edge_at_or_after(now);
    finish(now);
    before_pass_ += end_index_;
    measured_before_ = 0;
    limit_index_ = instructions_ == 0 ? kNoLimit : instructions_;
    source_->rewind();
    start_pass(slot + 1);
  } else if (miss_.write && writes_outside_ >= parameters_.window) {
    stalled_on_writes_ = true;
    act_time_ = kNever;
  } else {
    dispatch(now);
  }
}

void CoreAgent::dispatch(Tick now) {
  const Miss miss = miss_;
  for (; first_ < applied_; ++first_) {
    base_ = entry(first_);
  }
  const std::int64_t number = end_;
  const bool own_entry = next_index_ > last_index_;
  if (own_entry) {
    Entry& added = entry(end_++);
    added.index = next_index_;
    added.dispatch = next_slot_;
    added.ready = miss.load ? kUnknown : next_slot_ + parameters_.width;
    added.address = miss.load_address;
    added.memory = miss.memory;
    added.waiter = kUnknown;
    resolve_retirement();
  }
  last_index_ = next_index_;
  last_slot_ = next_slot_;
  const std::int64_t before = last_load_;
  const std::int64_t before_ready = last_load_ready_;
  if (miss.load) {
    last_load_ = number;
    last_load_ready_ = kUnknown;
  }
  fetch();
  plan();
  if (miss.load) {
    if (miss.dependent && before != kUnknown && before_ready == kUnknown) {
      entry(before).waiter = number;
    } else if (miss.dependent && before_ready > last_slot_) {
      steps_.schedule(slots_.tick(before_ready), Step::send_when_free,
                      static_cast<std::uint32_t>(number & mask_));
    } else {
      issue(number, now);
    }
  }
  if (miss.write) {
    ++writes_outside_;
    send(miss.memory, place(miss.memory, miss.write_address), true, kPosted, now);
  }
}

void CoreAgent::issue(std::int64_t number, Tick now) {
  if (parameters_.mshrs != kWindowOnly && loads_in_flight_ >= parameters_.mshrs) {
    waiting_.push(number);
    return;
  }
  ++loads_in_flight_;
  send_load(number, now);
}

void CoreAgent::send_load(std::int64_t number, Tick now) {
  const Entry& load = entry(number);
  send(load.memory, place(load.memory, load.address), false,
       static_cast<std::uint32_t>(number & mask_), now);
}

// Lines of the NVDIMM keep their places, modulo its capacity.
Address CoreAgent::place(MemoryClass memory, std::uint64_t address) const {
  if (memory == MemoryClass::nvdimm) {
    return Address(address % nvdimm_bytes_);
  }
  return surroundings().translation->translate(static_cast<std::uint16_t>(core()), address);
}

void CoreAgent::resolve_retirement() {
  while (known_ < end_ && entry(known_).ready != kUnknown) {
    const Entry& before = known_ == first_ ? base_ : entry(known_ - 1);
    Entry& next = entry(known_);
    next.retire = std::max(before.retire + (next.index - before.index), next.ready);
    ++known_;
  }
}

void CoreAgent::on_admit(const Request& request, Tick now) {
  if (request.tag != kPosted) {
    return;
  }
  --writes_outside_;
  if (stalled_on_writes_) {
    stalled_on_writes_ = false;
    next_slot_ = std::max(next_slot_, slots_.edge_at_or_after(now));
    plan();
    notify();
  }
}

void CoreAgent::handle_completion(const Request& request, Tick now) {
  if (request.tag == kPosted) {
    return;
  }
  const std::int64_t slot = slots_.edge_at_or_after(now);
  Entry& done = entry(request.tag);
  done.ready = std::max(slot, done.dispatch + parameters_.width);
  if (last_load_ != kUnknown && &done == &entry(last_load_)) {
    last_load_ready_ = done.ready;
  }
  if (done.waiter != kUnknown) {
    steps_.schedule(slots_.tick(done.ready), Step::send_when_free,
                    static_cast<std::uint32_t>(done.waiter & mask_));
  }
  if (waiting_.empty()) {
    --loads_in_flight_;
  } else {
    steps_.schedule(slots_.tick(slot), Step::send_reserved,
                    static_cast<std::uint32_t>(waiting_.front() & mask_));
    waiting_.pop();
  }
  resolve_retirement();
  if (act_time_ == kNever && !stalled_on_writes_) {
    plan();
  }
  notify();
}

// Exact: after the last entry whose retirement is past, one instruction retires per slot, up to
// the next entry.
std::int64_t CoreAgent::retired(Tick now) const {
  const std::int64_t slot = slots_.edge_at_or_after(now + Tick(1)) - 1;  // last one not after now
  const Entry* last = &base_;
  std::int64_t next = first_;
  while (next < known_ && entry(next).retire <= slot) {
    last = &entry(next++);
  }
  const std::int64_t bound =
      next < end_ ? entry(next).index - 1 : (ending_ ? end_index_ : next_index_ - 1);
  const std::int64_t steady = last->index + std::max<std::int64_t>(0, slot - last->retire);
  return std::max(last->index, std::min(steady, bound));
}

void CoreAgent::restart_limit(Tick now) {
  measured_before_ = retired(now);
  if (instructions_ != 0) {
    limit_index_ = std::max(measured_before_ + instructions_, last_index_);
    decide_end();
    if (ending_) {
      stalled_on_writes_ = false;
    } else {
      next_slot_ = std::max(next_slot_, slots_.edge_at_or_after(now));
    }
    plan();
    notify();
  }
}

double CoreAgent::pass_fraction(Tick now) const {
  return instructions_ == 0 ? source_->fraction()
                            : std::min(1.0, static_cast<double>(retired(now) - measured_before_) /
                                                static_cast<double>(instructions_));
}

void CoreAgent::serialize_state(Archive& archive) {
  archive.section("core");
  source_->serialize(archive);
  archive(entries_, first_, applied_, known_, end_, base_, miss_, have_miss_, ending_);
  archive(next_index_, next_slot_, last_index_, last_slot_, limit_index_, end_index_);
  archive(stalled_on_writes_, act_time_, last_load_, last_load_ready_, steps_, waiting_);
  archive(loads_in_flight_, writes_outside_, before_pass_, measured_before_);
  ensure(entries_.size() == mask_ + 1, "core", Tick(0), -1, "the window changed its size");
}

}  // namespace hmsim
