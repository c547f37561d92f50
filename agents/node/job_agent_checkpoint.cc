// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of jobs.
#include "agents/node/job_agent.h"
#include "core/places.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "threads of a job do not hold together";

}  // namespace

void JobAgent::serialize_state(Archive& archive) {
  archive.section("job");
  threads_.serialize(archive);
  events_.serialize(archive);
  for (JobSite& site : sites_) {
    site.write_back.serialize(archive);
  }
  engine_.serialize(archive);
  archive(timers_, io_meter_, done_);
  if (archive.loading()) {
    check_threads(archive);
    check_waiting(archive);
  }
}

void JobAgent::check_threads(const Archive& archive) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  archive.check(done_ >= 0 && done_ < kMost, kWrong);
  for (std::uint32_t number = 0; number < threads_.size(); ++number) {
    const JobThread& thread = threads_[number];
    archive.check(thread.since >= Tick(0) && thread.left <= kMost, kWrong);
    if (is_flusher(number)) {
      const JobAction action = thread.record.action;
      archive.check(action == JobAction::write || !thread.has_record, kWrong);
      archive.check(thread.state == ThreadState::idle || thread.has_record, kWrong);
      check_record(archive, thread);
      continue;
    }
    archive.check(thread.place.thread == number % program_->threads(), kWrong);
    program_->check(archive, thread.place);
    check_record(archive, thread);
    archive.check(thread.state != ThreadState::idle, kWrong);
    archive.check(takes_part(number) || thread.state == ThreadState::done, kWrong);
  }
}

void JobAgent::check_record(const Archive& archive, const JobThread& thread) const {
  const JobRecord& record = thread.record;
  const bool sends = record.action == JobAction::send;
  archive.check(!sends || record.task < static_cast<std::uint64_t>(keys_.tasks), kWrong);
  const bool event = sends || record.action == JobAction::wait || record.action == JobAction::wake;
  archive.check(!event || record.event < program_->events(), kWrong);
  const bool miss = record.action == JobAction::miss;
  archive.check(!miss || !thread.has_record || !record.miss.load || record.gap >= 1, kWrong);
  const bool nvdimm = record.lines > 0 || record.action == JobAction::sync ||
                      (miss && record.miss.memory == MemoryClass::nvdimm);
  archive.check(!nvdimm || block_lines_ > 0, kWrong);
}

// Each thread that waits for something is known to that, and to nothing else.
void JobAgent::check_waiting(const Archive& archive) const {
  Places held(archive, threads_.size(), kWrong);
  const auto take = [&](std::uint32_t thread, ThreadState state) {
    held.take(thread);
    archive.check(threads_[thread].state == state, kWrong);
  };
  events_.each_waiting(
      [&](std::uint32_t thread, std::uint32_t) { take(thread, ThreadState::waiting); });
  for (const JobSite& site : sites_) {
    const auto take_here = [&](std::uint32_t thread, ThreadState state) {
      take(thread, state);
      archive.check(&site_of(thread) == &site, kWrong);
    };
    site.write_back.idle.each([&](std::uint32_t thread) { take_here(thread, ThreadState::idle); });
    site.write_back.throttled.each(
        [&](std::uint32_t thread) { take_here(thread, ThreadState::throttled); });
    archive.check(block_lines_ > 0 || site.write_back.queue_is_empty(), kWrong);
  }
  bool starts = false;
  timers_.each([&](const JobTimers::Event& timer) {
    if (timer.kind == JobTimers::Kind::wake) {
      take(timer.payload, ThreadState::sleeping);
    } else {
      archive.check(!starts && has_ended(), kWrong);
      starts = true;
    }
  });
  const std::size_t waiting =
      threads_.count(ThreadState::waiting) + threads_.count(ThreadState::idle) +
      threads_.count(ThreadState::throttled) + threads_.count(ThreadState::sleeping);
  archive.check(held.count() == waiting, kWrong);
}

// Transfers' lines are under way, and flushes of those that sync.
void JobAgent::check_outstanding(const Archive& archive,
                                 const std::vector<Outstanding>& requests) const {
  Places syncing(archive, threads_.size(), kWrong);
  const auto take_syncing = [&](std::uint32_t thread) {
    syncing.take(thread);
    archive.check(threads_[thread].state == ThreadState::syncing, kWrong);
  };
  std::vector<std::uint64_t> lines(engine_.active().size(), 0);
  for (const Outstanding& each : requests) {
    if (each.request.flush) {
      take_syncing(each.request.tag);
    } else {
      archive.check_index(each.request.tag, lines.size(), kWrong);
      ++lines[each.request.tag];
    }
  }
  if (storage_) {
    archive.check(requests.empty(), kWrong);
    storage_->check_loaded(archive);
    for (const JobStorage::Subject& each : storage_->under_way()) {
      if (each.flush) {
        take_syncing(each.number);
      } else {
        archive.check_index(each.number, lines.size(), kWrong);
        ++lines[each.number];
      }
    }
  }
  for (const JobSite& site : sites_) {
    site.write_back.syncing.each([&](std::uint32_t thread) {
      take_syncing(thread);
      archive.check(&site_of(thread) == &site, kWrong);
    });
  }
  Places copied(archive, threads_.size(), kWrong);
  const std::vector<bool> used = engine_.active().in_use();
  for (std::uint32_t index = 0; index < lines.size(); ++index) {
    if (!used[index]) {
      archive.check(lines[index] == 0 && !engine_[index].ahead, kWrong);
      continue;
    }
    const TransferEngine::Active& each = engine_[index];
    archive.check(lines[index] == each.outstanding && lines[index] > 0 &&
                      each.unsent <= kMostTransferLines && each.first_line <= each.next_line,
                  kWrong);
    each.waiting.each([&](std::uint32_t thread) {
      copied.take(thread);
      archive.check(threads_[thread].state == ThreadState::read_ahead, kWrong);
    });
    archive.check_index(each.thread, threads_.size(), kWrong);
    archive.check(each.ahead ? !each.write : each.waiting.empty(), kWrong);
    if (each.ahead) {
      continue;
    }
    copied.take(each.thread);
    archive.check(
        threads_[each.thread].state == (each.write ? ThreadState::writing : ThreadState::reading),
        kWrong);
  }
}

}  // namespace hmsim
