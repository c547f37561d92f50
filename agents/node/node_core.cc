// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/node_core.h"

#include <algorithm>
#include <string>
#include <utility>

#include "agents/node/node.h"
#include "agents/node/thread_observer.h"
#include "core/errors.h"

namespace hmsim {

NodeCore::NodeCore(const FrontendParameters& defaults, std::int64_t core, Node& node)
    : MissCore(defaults),
      node_(node),
      quantum_(defaults.node.quantum),
      switch_time_(defaults.node.switch_time) {
  page_fences_ = true;
  set_mshrs(defaults.node.mshrs);
  set_prefetcher(defaults.node.prefetch);
  set_core(core);
}

void NodeCore::run(const ThreadId& thread, Tick now) {
  account(now);
  const bool switches = last_ && !(*last_ == thread);
  switches_ += switches ? 1 : 0;
  stint_begin_ = now;
  yields_soon_ = false;
  thread_ = last_ = thread;
  set_space(node_.job(thread).space(thread.thread));
  const std::int64_t slot =
      std::max(slots().edge_at_or_after(switches ? now + switch_time_ : now), last_dispatch() + 1);
  first_slot_at_ = slots().tick(slot);
  quantum_end_ = slots().edge_at_or_after(first_slot_at_ + quantum_);
  begin_stint(slot);
  notify();
}

void NodeCore::hold(const SoftwareId& software, Tick now) {
  account(now);
  software_ = software;
}

void NodeCore::release(Tick now) {
  account(now);
  software_.reset();
}

void NodeCore::begin() {
  copies_.resize(capacity());
  rest(0);
}

void NodeCore::begin_stint(std::int64_t slot) {
  copy_slots_ = 0;
  counted_slot_ = slot - 1;
  rewind();
  start_pass(slot);
}

void NodeCore::preempt(Tick now) {
  yields_soon_ = true;
  quantum_end_ = 0;
  if (resting() || !node_.job(*thread_).may_take_back(thread_->thread)) {
    return;
  }
  if (const std::optional<std::int64_t> left = cut_pass(now)) {
    fetched_.own -= std::min(fetched_.own, *left);
    preempted_ = true;
    node_.job(*thread_).take_back(thread_->thread, *left);
  }
  notify();
}

bool NodeCore::feed(Miss& miss) {
  const std::int64_t most = std::max<std::int64_t>(0, quantum_end_ - last_dispatch());
  const ThreadStep step = node_.job(*thread_).next(thread_->thread, most);
  miss = step.miss;
  part_ = step.copy;
  fetched_.own = part_.instructions;
  preempted_ = step.kind == ThreadStep::Kind::preempted;
  return step.kind == ThreadStep::Kind::miss;
}

// Notes that the record fetched, which may begin or end the copy of a request, is dispatched.
void NodeCore::follow_copy(std::int64_t number, std::int64_t slot) {
  note_ended();
  last_number_ = number == kUnknown ? last_number_ : number;
  if (part_.begins) {
    node_.job(*thread_).copy_began(thread_->thread, part_.write, slots().tick(slot));
  }
  if (part_.ends) {
    last_lines_.push({last_number_, part_.write});
  }
  end_copies();
}

void NodeCore::note_ended() {
  for (const bool write : {false, true}) {
    if (part_.ended[write ? 1 : 0]) {
      last_lines_.push({last_number_, write});
    }
  }
}

// Reports the requests whose last line is known to retire.
void NodeCore::end_copies() {
  while (!last_lines_.empty() && retirement_known(last_lines_.front().number)) {
    const LastLine last = last_lines_.front();
    last_lines_.pop();
    node_.job(*thread_).copy_ended(thread_->thread, last.write,
                                   slots().tick(retire_slot(last.number)));
  }
}

void NodeCore::stored(MemoryClass memory, Address address) { node_.stored(memory, address); }

void NodeCore::dispatched(std::int64_t number, std::int64_t slot, Tick now) {
  if (number != kUnknown) {
    copies_[static_cast<std::size_t>(number) & (copies_.size() - 1)] = fetched_;
  }
  // A wait at the fence behind a line that this stint copied is a part of the copy.
  const bool waited = copy_slots_ > 0 && fence_is_due();
  const std::int64_t begin = fetched_.own > 0 ? counted_slot_
                             : waited         ? std::min(counted_slot_ + gap(), slot)
                                              : slot;
  fetched_.before += fetched_.own;
  if (begin < slot) {
    copy_slots_ += slot - begin;
    if (ThreadObserver* const observer = node_.observer()) {
      observer->on_copy({node_.job(*thread_).agent(), thread_->thread}, slots().tick(begin + 1),
                        slots().tick(slot + 1));
    }
  }
  counted_slot_ = slot;
  follow_copy(number, slot);
  MissCore::dispatched(number, slot, now);
}

void NodeCore::pass_ended(std::int64_t slot, Tick now) {
  ensure(thread_.has_value(), "core", now, -1, "a stint ends that no thread has begun");
  account(now);
  Stint stint;
  stint.work = stint_work(now);
  stint.copying = slots().tick(copy_slots_);
  stint.preempted = std::exchange(preempted_, false);
  done_ += stint.work;
  note_ended();
  part_ = CopyPart();
  end_copies();
  fetched_ = Copies();
  end_pass();
  rest(slot + 1);
  const ThreadId ended = *thread_;
  const StintEnd end = node_.job(ended).stint_ended(ended.thread, stint, now);
  if (end == StintEnd::goes_on) {
    begin_stint(slot + 1);
    return;
  }
  thread_.reset();
  if (end == StintEnd::yields) {
    node_.yielded(*this, ended, now);
  } else {
    node_.core_is_free(*this, now);
  }
}

std::int64_t NodeCore::stint_work(Tick now) const {
  const std::int64_t done = retired(now);
  const std::int64_t number = first_unretired(now);
  const Copies& copies = in_window(number)
                             ? copies_[static_cast<std::size_t>(number) & (copies_.size() - 1)]
                             : fetched_;
  const std::int64_t copies_from = instruction(number) - copies.own;
  return done - copies.before - std::max<std::int64_t>(0, done - copies_from);
}

void NodeCore::account(Tick now) {
  const auto time = static_cast<Counter>((now - counted_to_).value());
  busy_ += is_free() ? 0 : time;
  software_time_ += software_ ? time : 0;
  counted_to_ = now;
}

void NodeCore::register_statistics(StatisticRegistry& registry, const std::string& path) {
  MissCore::register_statistics(registry, path);
  registry.counter(path + ".busy", "ps", "time in which a thread or software of I/O had it",
                   {&busy_});
  registry.counter(path + ".software", "ps", "of that, software of I/O (storage.path)",
                   {&software_time_});
  registry.counter(path + ".switches", "", "from one thread to another", {&switches_});
}

void NodeCore::serialize_core(Archive& archive) {
  MissCore::serialize_core(archive);
  archive(thread_, last_, software_, stint_begin_, first_slot_at_, yields_soon_, preempted_);
  archive(quantum_end_, part_, last_number_, last_lines_, fetched_);
  archive(counted_slot_, copy_slots_, done_);
  archive.fixed(copies_);
  archive(counted_to_, busy_, software_time_, switches_);
  if (archive.loading() && thread_) {
    node_.check_thread(archive, *thread_);
    set_space(node_.job(*thread_).space(thread_->thread));
  }
}

void NodeCore::resume_loaded() {
  if (thread_) {
    CoreAgent::resume_loaded();
  } else {
    rest(last_dispatch() + 1);
  }
}

}  // namespace hmsim
