// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/node_core.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "agents/application_observer.h"
#include "agents/node/node.h"
#include "agents/node/thread_observer.h"
#include "core/errors.h"

namespace hmsim {

NodeCore::NodeCore(const FrontendParameters& defaults, std::int64_t core, Node& node)
    : node_(node),
      parameters_(defaults.core),
      settings_(defaults),
      engine_(*this, *this),
      copies_(engine_.pass()),
      quantum_(defaults.node.quantum),
      switch_time_(defaults.node.switch_time) {
  settings_.page_fences = true;
  settings_.mshrs = defaults.node.mshrs;
  settings_.prefetch = defaults.node.prefetch;
  set_core(core);
}

void NodeCore::prepare() {
  engine_.pass().open(parameters_, engine_, nullptr, 0);
  if (ApplicationObserver* const application = environment().application) {
    application->on_core(index(), parameters_.slots_per_millisecond(), 0);
  }
  engine_.open(settings_, MissCore::AddressSpace(), std::make_unique<Feed>(*this));
  copies_.open();
  engine_.pass().rest(0);
}

void NodeCore::run(const ThreadId& thread, Tick now) {
  account(now);
  const bool switches = last_ && !(*last_ == thread);
  switches_ += switches ? 1 : 0;
  slice_begin_ = now;
  yields_soon_ = false;
  thread_ = last_ = thread;
  engine_.set_space(node_.job(thread).space(thread.thread));
  const std::int64_t slot =
      std::max(engine_.pass().slots().edge_at_or_after(switches ? now + switch_time_ : now),
               engine_.pass().last_dispatch() + 1);
  first_slot_at_ = engine_.pass().slots().tick(slot);
  quantum_end_ = engine_.pass().slots().edge_at_or_after(first_slot_at_ + quantum_);
  begin_slice(slot);
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

void NodeCore::begin_slice(std::int64_t slot) {
  copies_.begin(slot);
  engine_.pass().restart(slot);
}

void NodeCore::preempt(Tick now) {
  yields_soon_ = true;
  quantum_end_ = 0;
  if (engine_.pass().resting() || !node_.steps(*thread_).may_take_back(thread_->thread)) {
    return;
  }
  if (const std::optional<std::int64_t> left = engine_.pass().cut(now)) {
    copies_.give_up(*left);
    preempted_ = true;
    node_.steps(*thread_).take_back(thread_->thread, *left);
  }
  notify();
}

bool NodeCore::feed(Miss& miss) {
  const std::int64_t most =
      std::max<std::int64_t>(0, quantum_end_ - engine_.pass().last_dispatch());
  const ThreadStep step = node_.steps(*thread_).next(thread_->thread, most);
  miss = step.miss;
  copies_.fetched(step.copy);
  preempted_ = step.kind == ThreadStep::Kind::preempted;
  return step.kind == ThreadStep::Kind::miss;
}

void NodeCore::stored(MemoryClass memory, Address address) { node_.stored(memory, address); }

void NodeCore::dispatched(std::int64_t number, std::int64_t slot) {
  const std::int64_t begin =
      copies_.dispatched(number, slot, engine_.gap(), engine_.fence_is_due());
  ThreadObserver* const observer = node_.observer();
  if (begin < slot && observer != nullptr) {
    observer->on_copy({node_.job(*thread_).agent(), thread_->thread},
                      engine_.pass().slots().tick(begin + 1),
                      engine_.pass().slots().tick(slot + 1));
  }
  if (copies_.has_news()) {
    copies_.report(node_.job(*thread_), thread_->thread);
  }
}

void NodeCore::pass_ended(std::int64_t slot, Tick now) {
  ensure(thread_.has_value(), "core", now, -1, "end of a time slice without a thread");
  account(now);
  TimeSlice slice;
  slice.work = slice_work(now);
  slice.copying = engine_.pass().slots().tick(copies_.slots());
  slice.preempted = std::exchange(preempted_, false);
  done_ += slice.work;
  const ThreadId ended = *thread_;
  copies_.end(node_.job(ended), ended.thread);
  engine_.pass().rest(slot + 1);
  const SliceEnd end = node_.job(ended).slice_ended(ended.thread, slice, now);
  if (end == SliceEnd::continues) {
    begin_slice(slot + 1);
    return;
  }
  thread_.reset();
  if (end == SliceEnd::yields) {
    node_.yielded(*this, ended, now);
  } else {
    node_.core_is_free(*this, now);
  }
}

void NodeCore::account(Tick now) {
  const auto time = static_cast<Counter>((now - counted_to_).value());
  busy_ += is_free() ? 0 : time;
  software_time_ += software_ ? time : 0;
  counted_to_ = now;
}

void NodeCore::register_statistics(StatisticRegistry& registry, const std::string& path) {
  engine_.register_statistics(registry, path);
  const StatisticGroup group(registry, path);
  group.counter("busy", "ps", "time in which a thread or I/O software ran on it", busy_);
  group.counter("software", "ps", "time of that in which I/O software ran (storage.path)",
                software_time_);
  group.counter("switches", "", "switches from one thread to another", switches_);
}

void NodeCore::serialize_state(Archive& archive) {
  archive(engine_.pass(), engine_, copies_);
  archive(thread_, last_, software_, slice_begin_, first_slot_at_, yields_soon_, preempted_);
  archive(quantum_end_, done_, counted_to_, busy_, software_time_, switches_);
  if (!archive.loading()) {
    return;
  }
  if (thread_) {
    node_.check_thread(archive, *thread_);
    engine_.set_space(node_.job(*thread_).space(thread_->thread));
    engine_.pass().resume_loaded();
  } else {
    engine_.pass().rest(engine_.pass().last_dispatch() + 1);
  }
}

}  // namespace hmsim
