// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_agent.h"

#include <algorithm>
#include <utility>

#include "agents/node/thread_observer.h"
#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;
constexpr std::uint64_t kMostThreads = 16'384;
constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

}  // namespace

void JobAgent::prepare() {
  const std::string name = "agent." + std::to_string(index());
  set_core(keys_.node_cores(0).front().number);
  open_blocks();
  program_ = keys_.open(keys_.trace.open(index(), environment()));
  if (program_->has_nvdimm() && block_lines_ == 0) {
    throw InputError(name + ": its program uses an NVDIMM, and the configuration has none");
  }
  if (program_->is_a_machine()) {
    keys_.flushers = 0;
    keys_.instructions = 0;
  }
  const auto tasks = static_cast<std::uint64_t>(keys_.tasks);
  if (program_->threads() * tasks > kMostThreads) {
    throw InputError(name + ".tasks: " + std::to_string(tasks) + " of " +
                     std::to_string(program_->threads()) + " threads each are more than 16384");
  }
  program_->check_tasks(tasks);
  constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 20;
  if (program_->events() * tasks > kMostEvents) {
    throw InputError(name + ".tasks: " + std::to_string(tasks) + " of " +
                     std::to_string(program_->events()) + " events each are more than 2^20");
  }
  events_.resize(program_->events() * tasks);
  open_sites();
  threads_.resize(program_threads() + sites_.size() * static_cast<std::size_t>(keys_.flushers));
  for (std::uint32_t flusher = program_threads(); flusher < threads_.size(); ++flusher) {
    enter(flusher, ThreadState::idle, Tick(0));
    site_of(flusher).write_back.idle.push(flusher);
  }
  if (environment().network != nullptr) {
    network_user_ = environment().network->join(*this);
  }
  start(Tick(0));
}

void JobAgent::open_sites() {
  const std::vector<std::int64_t> nodes = keys_.node_list();
  const auto count = static_cast<std::int64_t>(nodes.size());
  const bool shared = keys_.cluster.memory == NodeMemories::shared;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeEnvironment& place = environment().nodes[i];
    const auto which = static_cast<std::int64_t>(i);
    const std::vector<JobCore> cores = keys_.node_cores(i);
    JobSite site;
    site.number = nodes[i];
    site.node = place.node;
    site.port = place.port;
    site.job = place.node->join(*this, cores);
    site.core = cores.front().number;
    site.tasks = shared ? keys_.tasks : (keys_.tasks - which + count - 1) / count;
    const auto lines = static_cast<double>(place.port->capacity(MemoryClass::dram) / kLineBytes) /
                       static_cast<double>(shared ? count : 1);
    site.write_back.set_limit(static_cast<std::uint64_t>(keys_.dirty_ratio * lines));
    sites_.push_back(std::move(site));
  }
  if (storage_) {
    storage_->run_on(*sites_.front().node, sites_.front().job);
  }
}

std::size_t JobAgent::site_index(std::uint32_t thread) const {
  return is_flusher(thread)
             ? (thread - program_threads()) / static_cast<std::uint32_t>(keys_.flushers)
             : site_of_task(task_of(thread));
}

void JobAgent::start(Tick now) {
  const std::int64_t limit = keys_.instructions == 0 ? kNoLimit : keys_.instructions;
  for (std::uint32_t thread = 0; thread < program_threads(); ++thread) {
    JobThread& each = threads_[thread];
    each.place = program_->begin(thread % program_->threads());
    each.left = limit;
    for (Ring<CopyUnderWay>& copies : each.copies) {
      copies.clear();
    }
  }
  for (std::uint32_t thread = 0; thread < program_threads(); ++thread) {
    if (takes_part(thread)) {
      make_ready(thread, false, now);
    }
  }
}

void JobAgent::enter(std::uint32_t thread, ThreadState state, Tick now) {
  threads_.enter(thread, state, now);
  if (ThreadObserver* const observer = site_of(thread).node->observer()) {
    observer->on_state({index(), thread}, state, now);
  }
}

ThreadName JobAgent::name_of(std::uint32_t thread) const {
  if (is_flusher(thread)) {
    return {index(), std::nullopt, "flusher"};
  }
  return {index(), task_of(thread), program_->name_of(thread % program_->threads())};
}

void JobAgent::make_ready(std::uint32_t thread, bool woken, Tick now) {
  enter(thread, ThreadState::ready, now);
  const JobSite& site = site_of(thread);
  site.node->ready({site.job, thread}, woken, now);
}

// Each task has an equal part of both memories of its node. A flusher writes what tasks had, whose
// lines carry their offset already.
MissCore::AddressSpace JobAgent::space(std::uint32_t thread) const {
  constexpr std::size_t kFirstJob = 256;  // behind the cores, each of which is a space, too
  MissCore::AddressSpace space;
  space.space = static_cast<std::uint16_t>(kFirstJob + index());
  if (!is_flusher(thread)) {
    const JobSite& site = site_of(thread);
    const auto task = static_cast<std::int64_t>(task_of(thread));
    const bool all = site.tasks == keys_.tasks;
    const Copies part{site.tasks, all ? task : task / static_cast<std::int64_t>(sites_.size())};
    for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
      space.offset[static_cast<std::size_t>(memory)] = part.offset(
          memory == MemoryClass::dram ? site.port->capacity(memory) : block_capacity(*site.port));
    }
  }
  return space;
}

// Threads take turns, a step each. The limit of instructions holds with a warm-up, too: behind it
// their places are not known.
void JobAgent::each_page_read(bool /*to_limit*/, const PageVisitor& visit) {
  bool any = program_->has_nvdimm();
  while (any) {
    any = false;
    for (std::uint32_t number = 0; number < program_threads(); ++number) {
      JobThread& thread = threads_[number];
      if (!takes_part(number) || (thread.has_record && thread.record.action == JobAction::end)) {
        continue;
      }
      fetch(thread);
      any = true;
      if (!visit_reads(number, visit)) {
        return;
      }
    }
  }
}

// The pages that the thread's step reads; false: no more are wanted.
bool JobAgent::visit_reads(std::uint32_t number, const PageVisitor& visit) const {
  const JobRecord& record = threads_[number].record;
  std::uint64_t first = record.first_line;
  const bool reads = record.action == JobAction::read || record.action == JobAction::read_ahead;
  std::uint64_t lines = reads ? record.lines : 0;
  if (record.action == JobAction::miss && record.miss.load &&
      record.miss.memory == MemoryClass::nvdimm) {
    first = record.miss.load_address / kLine;
    lines = 1;
  }
  for (std::uint64_t line = first; line < first + lines; line += kLinesPerPage) {
    if (!visit(page_of(number, line))) {
      return false;
    }
  }
  return lines == 0 || visit(page_of(number, first + lines - 1));
}

// Tasks take turns, a page each.
void JobAgent::each_page_written_before(const PageVisitor& visit) const {
  for (const std::uint64_t page : program_->written_before()) {
    for (std::uint32_t first = 0; first < program_threads(); first += program_->threads()) {
      if (!visit(page_of(first, page * kLinesPerPage))) {
        return;
      }
    }
  }
}

// The page, of all nodes' NVDIMMs, that has the line of the thread's task.
std::int64_t JobAgent::page_of(std::uint32_t thread, std::uint64_t line) const {
  const std::uint64_t offset = space(thread).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  const std::uint64_t before = site_index(thread) * block_lines_;  // of other nodes
  return static_cast<std::int64_t>((before + (line + offset / kLine) % block_lines_) /
                                   kLinesPerPage);
}

StintEnd JobAgent::stint_ended(std::uint32_t number, const Stint& stint, Tick now) {
  done_ += stint.work;
  threads_[number].copying += finished_once() ? 0 : static_cast<Counter>(stint.copying.value());
  return stint.preempted ? yield(number, now) : act(number, now);
}

StintEnd JobAgent::yield(std::uint32_t thread, Tick now) {
  enter(thread, ThreadState::ready, now);
  return StintEnd::yields;
}

// Does the step for which the stint ended.
StintEnd JobAgent::act(std::uint32_t number, Tick now) {
  JobThread& thread = threads_[number];
  if (is_flusher(number)) {
    return write(number, now);
  }
  thread.has_record = false;
  const std::uint32_t event = task_of(number) * program_->events() + thread.record.event;
  switch (thread.record.action) {
    case JobAction::read:
      transfer(number, now);
      return StintEnd::waits;
    case JobAction::read_ahead:
      return read_ahead(number, now);
    case JobAction::use:
      return use(number, now);
    case JobAction::write:
      return write(number, now);
    case JobAction::sync:
      sync(number, now);
      return StintEnd::waits;
    case JobAction::wait:
      return wait(number, event, now);
    case JobAction::wake:
      wake(event, now);
      return StintEnd::goes_on;
    case JobAction::send:
      send_message(number, now);
      return StintEnd::goes_on;
    case JobAction::sleep:
      sleep(number, now);
      return StintEnd::waits;
    case JobAction::miss:
    case JobAction::end:
      break;
  }
  return end_thread(number, now);
}

void JobAgent::sleep(std::uint32_t number, Tick now) {
  enter(number, ThreadState::sleeping, now);
  timers_.schedule(now, threads_[number].record.time, JobTimers::Kind::wake, number);
  less_to_do(now);
  notify();
}

Tick JobAgent::advance(Tick now) {
  while (timers_.due(now)) {
    const JobTimers::Event timer = timers_.pop();
    if (timer.kind == JobTimers::Kind::wake) {
      make_ready(timer.payload, true, now);
    } else {
      events_.resize(program_->events() * static_cast<std::uint64_t>(keys_.tasks));
      start(now);
    }
  }
  return next_event();
}

std::int64_t JobAgent::work(Tick now) const {
  std::int64_t work = done_;
  for (const JobSite& site : sites_) {
    work += site.node->work_under_way(site.job, now);
  }
  return work;
}

double JobAgent::pass_fraction(Tick /*now*/) const {
  double sum = 0;
  for (std::uint32_t thread = 0; thread < program_threads(); ++thread) {
    const JobThread& each = threads_[thread];
    const auto left = static_cast<double>(each.left);
    const auto limit = static_cast<double>(keys_.instructions);
    const double limited = keys_.instructions == 0 ? 0 : 1 - left / limit;
    sum += each.state == ThreadState::done ? 1 : std::max(limited, program_->fraction(each.place));
  }
  return sum / static_cast<double>(program_threads());
}

void JobAgent::register_statistics(StatisticRegistry& registry, const std::string& path) {
  io_meter_.register_statistics(registry, path);
  threads_.register_statistics(registry, path, program_threads());
}

}  // namespace hmsim
