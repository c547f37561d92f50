// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <vector>

#include "agents/node/job_agent.h"
#include "agents/node/thread_observer.h"
#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kMostThreads = 16'384;
constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 20;

}  // namespace

void JobAgent::declare(ParameterSet& parameters) {
  declare_measured(parameters);
  keys_.declare(parameters);
}

void JobAgent::prepare() {
  set_core(keys_.node_cores(0).front().number);
  transfers_.find_devices(index(), environment());
  steps_.open(open_program(), transfers_.has_nvdimm());
  open_sites();
  threads_.resize(job_nodes_.threads());
  transfers_.open(environment());
  messages_.open(steps_.program(), static_cast<std::uint32_t>(keys_.tasks), environment().network);
  start(Tick(0));
}

std::unique_ptr<JobProgram> JobAgent::open_program() {
  std::unique_ptr<JobProgram> program = keys_.open(keys_.trace.open(index(), environment()));
  if (program->has_nvdimm() && !transfers_.has_blocks()) {
    throw InputError(name() + ": its program accesses an NVDIMM, but the configuration has none");
  }
  if (program->is_whole_machine()) {
    keys_.flushers = 0;
    keys_.instructions = 0;
  }
  const auto tasks = static_cast<std::uint64_t>(keys_.tasks);
  if (program->threads() * tasks > kMostThreads) {
    throw InputError(name() + ".tasks: " + std::to_string(tasks) + " of " +
                     std::to_string(program->threads()) +
                     " threads each are too many: must be at most 16384 in all");
  }
  program->require_task_count(tasks);
  if (program->events() * tasks > kMostEvents) {
    throw InputError(name() + ".tasks: " + std::to_string(tasks) + " of " +
                     std::to_string(program->events()) +
                     " events each are too many: must be at most 2^20 in all");
  }
  return program;
}

void JobAgent::open_sites() {
  job_nodes_.open(keys_, steps_.program(), index(), environment().nodes);
  for (std::size_t i = 0; i < job_nodes_.all().size(); ++i) {
    JobNode& site = job_nodes_.all()[i];
    site.job = site.node->join(*this, steps_, keys_.node_cores(i));
  }
}

void JobAgent::start(Tick now) {
  steps_.start();
  for (std::uint32_t thread = 0; thread < job_nodes_.program_threads(); ++thread) {
    if (job_nodes_.takes_part(thread)) {
      make_ready(thread, false, now);
    }
  }
}

void JobAgent::enter(std::uint32_t thread, ThreadState state, Tick now) {
  threads_.enter(thread, state, now);
  if (ThreadObserver* const observer = job_nodes_.of(thread).node->observer()) {
    observer->on_state({index(), thread}, state, now);
  }
}

ThreadName JobAgent::name_of(std::uint32_t thread) const {
  if (job_nodes_.is_flusher(thread)) {
    return {index(), std::nullopt, "flusher"};
  }
  return {index(), job_nodes_.task_of(thread),
          steps_.program().name_of(job_nodes_.in_task(thread))};
}

void JobAgent::make_ready(std::uint32_t thread, bool woken, Tick now) {
  enter(thread, ThreadState::ready, now);
  const JobNode& site = job_nodes_.of(thread);
  site.node->ready({site.job, thread}, woken, now);
}

SliceEnd JobAgent::slice_ended(std::uint32_t number, const TimeSlice& slice, Tick now) {
  done_ += slice.work;
  threads_[number].copying += finished_once() ? 0 : static_cast<Counter>(slice.copying.value());
  if (slice.preempted) {
    enter(number, ThreadState::ready, now);
    return SliceEnd::yields;
  }
  return act(number, now);
}

// Performs the step that the slice ended for.
SliceEnd JobAgent::act(std::uint32_t number, Tick now) {
  if (job_nodes_.is_flusher(number)) {
    return transfers_.write(number, now);
  }
  const JobRecord& record = steps_.take(number);
  switch (record.action) {
    case JobAction::read:
      return transfers_.transfer(number, now);
    case JobAction::read_ahead:
      return transfers_.read_ahead(number, now);
    case JobAction::use:
      return transfers_.use(number, now);
    case JobAction::write:
      return transfers_.write(number, now);
    case JobAction::sync:
      return transfers_.sync(number, now);
    case JobAction::wait:
      return wait(number, record.event, now);
    case JobAction::wake:
      return wake(messages_.wake(number, record.event), now);
    case JobAction::send:
      return wake(messages_.send(number, record, now), now);
    case JobAction::sleep:
      return sleep(number, now);
    case JobAction::miss:
    case JobAction::end:
      break;
  }
  return end_thread(number, now);
}

SliceEnd JobAgent::sleep(std::uint32_t number, Tick now) {
  enter(number, ThreadState::sleeping, now);
  timers_.schedule(now, threads_[number].record.time, JobTimers::Kind::wake, number);
  less_to_do(now);
  notify();
  return SliceEnd::waits;
}

SliceEnd JobAgent::wait(std::uint32_t number, std::uint32_t event, Tick now) {
  if (messages_.wait(number, event)) {
    return SliceEnd::continues;
  }
  enter(number, ThreadState::waiting, now);
  less_to_do(now);
  return SliceEnd::waits;
}

SliceEnd JobAgent::wake(std::optional<std::uint32_t> woken, Tick now) {
  if (woken) {
    make_ready(*woken, true, now);
  }
  return SliceEnd::continues;
}

void JobAgent::message_arrived(std::optional<std::uint32_t> woken, Tick now) {
  wake(woken, now);
  end_pass_or_idle(now);
}

bool JobAgent::has_ended() const {
  return threads_.count(ThreadState::done) == job_nodes_.program_threads() &&
         !messages_.under_way();
}

SliceEnd JobAgent::end_thread(std::uint32_t number, Tick now) {
  enter(number, ThreadState::done, now);
  end_pass_or_idle(now);
  return SliceEnd::waits;
}

// Ends the pass if all threads have ended and all messages have arrived. Otherwise checks for
// idleness.
void JobAgent::end_pass_or_idle(Tick now) {
  if (!has_ended()) {
    less_to_do(now);
    return;
  }
  finish(now);
  account(now);
  timers_.schedule(now, kRestartGap, JobTimers::Kind::start_over, 0);
  notify();
}

// With skip_idle, skips to the next wake-up if all threads are asleep, waiting, idle or done and
// nothing is under way. If threads wait and none is asleep, the program has a deadlock, and the run
// fails.
void JobAgent::less_to_do(Tick now) {
  const std::size_t waiting = threads_.count(ThreadState::waiting);
  const std::size_t sleeping = threads_.count(ThreadState::sleeping);
  const std::size_t still =
      waiting + sleeping + threads_.count(ThreadState::done) + threads_.count(ThreadState::idle);
  if (still < threads_.size() || waiting + sleeping == 0) {
    return;
  }
  if (messages_.under_way() || !transfers_.idle()) {
    return;
  }
  if (sleeping == 0) {
    messages_.fail_to_wake(threads_);
  } else if (keys_.skip_idle) {
    timers_.skip_to_next(now);
    notify();
  }
}

Tick JobAgent::advance(Tick now) {
  while (timers_.due(now)) {
    const JobTimers::Event timer = timers_.pop();
    if (timer.kind == JobTimers::Kind::wake) {
      make_ready(timer.payload, true, now);
    } else {
      messages_.restart();
      start(now);
    }
  }
  return next_event();
}

std::int64_t JobAgent::work(Tick now) const {
  std::int64_t work = done_;
  for (const JobNode& site : job_nodes_.all()) {
    work += site.node->work_under_way(site.job, now);
  }
  return work;
}

void JobAgent::register_statistics(StatisticRegistry& registry, const std::string& path) {
  transfers_.meter().register_statistics(registry, path);
  threads_.register_statistics(registry, path, job_nodes_.program_threads());
}

void JobAgent::serialize_state(Archive& archive) {
  archive.section("job");
  threads_.serialize(archive);
  messages_.serialize(archive);
  transfers_.serialize(archive);
  archive(timers_, done_);
  if (archive.loading()) {
    steps_.check(archive);
    messages_.check(archive);
    transfers_.check(archive);
    timers_.each([&](const JobTimers::Event& timer) {
      archive.check_index(timer.payload, threads_.size(), "invalid thread of a job");
    });
  }
}

extern const AgentDescriptor kAgent_job;
const AgentDescriptor kAgent_job{
    "job", "threads that compute, transfer and wait, on the cores of a node", make_agent<JobAgent>};

}  // namespace hmsim
