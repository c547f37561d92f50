// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/node.h"

#include <algorithm>

#include "agents/node/thread_observer.h"

namespace hmsim {

Node::Node(FrontendParameters defaults, const std::vector<JobCore>& cores)
    : wakes_preempt_(defaults.node.wake == WakeUp::preempts) {
  for (const JobCore& core : cores) {
    defaults.core.base_cpi = core.base_cpi;
    cores_.push_back(std::make_unique<NodeCore>(defaults, core.number, *this));
  }
}

std::uint16_t Node::join(NodeJob& job, ThreadSteps& steps, const std::vector<JobCore>& cores) {
  Job joined;
  joined.job = &job;
  joined.steps = &steps;
  for (const auto& own : cores_) {
    joined.uses.push_back(std::any_of(cores.begin(), cores.end(), [&own](const JobCore& core) {
      return core.number == own->core();
    }));
  }
  jobs_.push_back(std::move(joined));
  return static_cast<std::uint16_t>(jobs_.size() - 1);
}

NodeCore* Node::free_core(const ThreadId& thread) {
  NodeCore* found = nullptr;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    NodeCore* const core = cores_[i].get();
    if (!core->is_free() || !jobs_[thread.job].uses[i]) {
      continue;
    }
    const std::optional<ThreadId> last = core->last_thread();
    if (last && *last == thread) {
      return core;
    }
    found = found == nullptr ? core : found;
  }
  return found;
}

void Node::run(NodeCore& core, const ThreadId& thread, Tick now) {
  job(thread).slice_begins(thread.thread, now);
  if (observer_ != nullptr) {
    observer_->on_run({job(thread).agent(), thread.thread}, core.core(), now);
  }
  core.run(thread, now);
}

void Node::ready(const ThreadId& thread, bool woken, Tick now) {
  NodeCore* const core = free_core(thread);
  if (core != nullptr) {
    run(*core, thread, now);
    return;
  }
  Job& job = jobs_[thread.job];
  (woken ? job.woken : job.waiting).push({thread.thread, next_order_++});
  if (woken && wakes_preempt_) {
    preempt_for(thread, now);
  }
}

void Node::preempt_for(const ThreadId& thread, Tick now) {
  NodeCore* longest = nullptr;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    NodeCore* const core = cores_[i].get();
    if (jobs_[thread.job].uses[i] && core->preemptible(now) &&
        (longest == nullptr || core->slice_begin() < longest->slice_begin())) {
      longest = core;
    }
  }
  if (longest != nullptr) {
    longest->preempt(now);
  }
}

void Node::yielded(NodeCore& core, const ThreadId& thread, Tick now) {
  if (take_next(core, now)) {
    ready(thread, false, now);
  } else {
    run(core, thread, now);
  }
}

void Node::stored(MemoryClass memory, Address address) {
  for (const Node* const node : sharers_) {
    for (const auto& core : node->cores_) {
      core->give_up_copy(memory, address);
    }
  }
}

bool Node::acquire_core(const SoftwareId& software, const ThreadId& on_behalf, Tick now) {
  if (NodeCore* const core = free_core(on_behalf)) {
    core->hold(software, now);
    return true;
  }
  jobs_[software.job].software.push({software.io, next_order_++});
  const auto own = std::find_if(cores_.begin(), cores_.end(), [&](const auto& core) {
    return core->thread() && *core->thread() == on_behalf;
  });
  if (own == cores_.end()) {
    preempt_for(on_behalf, now);
  } else {
    (*own)->preempt(now);
  }
  return false;
}

void Node::release_core(const SoftwareId& software, Tick now) {
  for (const auto& core : cores_) {
    if (core->software() && *core->software() == software) {
      core->release(now);
      take_next(*core, now);
      return;
    }
  }
}

// Software goes first: it models an interrupt, or continues what a thread has requested.
bool Node::take_next(NodeCore& core, Tick now) {
  if (Job* const job = first_of(core, &Job::software)) {
    const SoftwareId software{static_cast<std::uint16_t>(job - jobs_.data()),
                              job->software.take().thread};
    core.hold(software, now);
    job->job->core_granted(software.io, now);
    return true;
  }
  return take_next(core, &Job::woken, now) || take_next(core, &Job::waiting, now);
}

Node::Job* Node::first_of(const NodeCore& core, Queue queue) {
  const auto index = static_cast<std::size_t>(
      std::find_if(cores_.begin(), cores_.end(),
                   [&core](const auto& each) { return each.get() == &core; }) -
      cores_.begin());
  Job* first = nullptr;
  for (Job& job : jobs_) {
    if (job.uses[index] && !(job.*queue).empty() &&
        (first == nullptr || (job.*queue).front().order < (first->*queue).front().order)) {
      first = &job;
    }
  }
  return first;
}

bool Node::take_next(NodeCore& core, Queue queue, Tick now) {
  Job* const first = first_of(core, queue);
  if (first == nullptr) {
    return false;
  }
  const ThreadId thread{static_cast<std::uint16_t>(first - jobs_.data()),
                        (first->*queue).take().thread};
  run(core, thread, now);
  return true;
}

void Node::watch(ThreadObserver& observer, Tick now) {
  observer_ = &observer;
  for (const Job& each : jobs_) {
    for (std::uint32_t thread = 0; thread < each.job->thread_count(); ++thread) {
      const ThreadState state = each.job->state_of(thread);
      if (each.job->runs_on(thread, *this) && state != ThreadState::running) {
        observer.on_state({each.job->agent(), thread}, state, now);
      }
    }
  }
  for (const auto& core : cores_) {
    if (const auto& thread = core->thread()) {
      observer.on_run({job(*thread).agent(), thread->thread}, core->core(), now);
    }
  }
}

std::int64_t Node::work_under_way(std::uint16_t job, Tick now) const {
  std::int64_t work = 0;
  for (const auto& core : cores_) {
    work += core->thread() && core->thread()->job == job ? core->slice_work(now) : 0;
  }
  return work;
}

void Node::serialize(Archive& archive) {
  archive.section("node");
  archive(next_order_);
  for (Job& job : jobs_) {
    archive(job.software, job.woken, job.waiting);
    for (const Queue queue : {&Job::woken, &Job::waiting}) {
      (job.*queue).each([&](const Waiting& each) {
        archive.check_index(each.thread, job.job->thread_count(), "invalid ready thread");
      });
    }
  }
}

void Node::check_thread(const Archive& archive, const ThreadId& thread) const {
  archive.check(thread.job < jobs_.size() && thread.thread < jobs_[thread.job].job->thread_count(),
                "invalid thread of a core");
}

}  // namespace hmsim
