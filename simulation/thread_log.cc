// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/thread_log.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr auto kRunning = static_cast<std::int64_t>(ThreadState::running);
constexpr auto kIdle = static_cast<std::int64_t>(ThreadState::idle);
constexpr auto kDone = static_cast<std::int64_t>(ThreadState::done);

}  // namespace

void ThreadLog::watch(const std::vector<Node*>& nodes, Tick now) {
  threads_.clear();
  first_.clear();
  for (Node* const node : nodes) {
    for (std::uint16_t job = 0; job < node->jobs(); ++job) {
      add_threads(node->job(job));
    }
    node->watch(*this, now);
  }
}

// Adds the job's threads, unless another node has added them.
void ThreadLog::add_threads(const NodeJob& job) {
  if (!first_.emplace(job.agent(), threads_.size()).second) {
    return;
  }
  for (std::uint32_t number = 0; number < job.thread_count(); ++number) {
    const ThreadName name = job.name_of(number);
    const auto known = std::find(names_.begin(), names_.end(), name.name);
    Thread thread;
    thread.agent = static_cast<std::int64_t>(name.agent);
    thread.thread = number;
    thread.task = name.task ? static_cast<std::int64_t>(*name.task) : -1;
    thread.name = known - names_.begin();
    if (known == names_.end()) {
      names_.push_back(name.name);
    }
    threads_.push_back(thread);
  }
}

void ThreadLog::on_run(const SeenThread& thread, std::int64_t core, Tick now) {
  enter(thread, kRunning, core, now);
}

void ThreadLog::on_state(const SeenThread& thread, ThreadState state, Tick now) {
  enter(thread, static_cast<std::int64_t>(state), -1, now);
}

void ThreadLog::enter(const SeenThread& id, std::int64_t state, std::int64_t core, Tick now) {
  if (ended_) {
    return;
  }
  Thread& thread = find(id);
  close(thread, now);
  thread.state = state;
  thread.core = core;
  thread.begin = now;
  end_if_full(now);
}

// Logs a copy. If it began before the log, only the part within the log counts.
void ThreadLog::on_copy(const SeenThread& id, Tick begin, Tick end) {
  if (ended_) {
    return;
  }
  Thread& thread = find(id);
  if (thread.state != kCopying || thread.copied_to < begin) {
    const Tick from = std::max(begin, thread.begin);
    close(thread, from);
    thread.state = kCopying;
    thread.begin = from;
    end_if_full(from);
  }
  thread.copied_to = end;
}

// After the last line that it copied, a thread is in state running.
void ThreadLog::close(Thread& thread, Tick now) {
  if (thread.state == kCopying) {
    const Tick to = std::min(thread.copied_to, now);
    write(thread, to);
    thread.state = kRunning;
    thread.begin = to;
  }
  write(thread, now);
}

void ThreadLog::write(const Thread& thread, Tick end) {
  if (end <= thread.begin || thread.state == kIdle || thread.state == kDone) {
    return;
  }
  add({thread.begin.value(), end.value(), thread.agent, thread.thread, thread.task, thread.name,
       thread.state, thread.core});
  ++written_;
}

// Ending a thread takes at most two rows: one for its copy, one for the state after it.
void ThreadLog::end_if_full(Tick now) {
  const auto threads = static_cast<std::int64_t>(threads_.size());
  if (written_ + 2 * (threads + 1) > limit_) {
    full_ = true;
    end(now);
  }
}

void ThreadLog::end(Tick now) {
  if (!ended_) {
    ended_ = true;
    for (Thread& thread : threads_) {
      close(thread, now);
    }
  }
}

}  // namespace hmsim
