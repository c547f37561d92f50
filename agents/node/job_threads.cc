// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_threads.h"

#include <utility>

namespace hmsim {

namespace {

constexpr std::uint32_t kFew = 64;  // limit for statistics per thread

struct StateName {
  ThreadState state;
  const char* name;
  const char* doc;
};
constexpr std::array<StateName, 9> kNames{
    {{ThreadState::running, "running", "time on a core"},
     {ThreadState::ready, "run_queue", "time ready, with no core free"},
     {ThreadState::reading, "reading", "time asleep while an engine copied from the NVDIMM"},
     {ThreadState::read_ahead, "read_ahead", "time asleep until a prefetched page arrived"},
     {ThreadState::writing, "writing", "time asleep while an engine copied to the NVDIMM"},
     {ThreadState::throttled, "throttled",
      "time asleep because too much data waited for the flushers"},
     {ThreadState::syncing, "syncing", "time asleep until written data were durable"},
     {ThreadState::waiting, "waiting", "time until another thread woke it"},
     {ThreadState::sleeping, "sleeping", "time asleep by a sleep step"}}};

}  // namespace

void JobThread::serialize(Archive& archive) {
  archive(place, record, has_record, next_line, lines, left, copy_instructions);
  archive(sync_began, fetched_copy, copies[0], copies[1], state, since, time, copying);
  archive.check(left >= 0, "thread of a job with negative work left");
}

void JobThreads::enter(std::uint32_t thread, ThreadState state, Tick now) {
  JobThread& each = threads_[thread];
  if (counts_time_) {
    each.time[static_cast<std::size_t>(each.state)] +=
        static_cast<Counter>((now - each.since).value());
  }
  each.since = now;
  --counts_[static_cast<std::size_t>(each.state)];
  ++counts_[static_cast<std::size_t>(state)];
  each.state = state;
}

void JobThreads::account(Tick now, bool counts) {
  for (JobThread& each : threads_) {
    if (counts_time_) {
      each.time[static_cast<std::size_t>(each.state)] +=
          static_cast<Counter>((now - each.since).value());
    }
    each.since = now;
  }
  counts_time_ = counts;
}

void JobThreads::register_statistics(StatisticRegistry& registry, const std::string& path,
                                     std::uint32_t threads) {
  const auto add = [&](const std::string& of, std::uint32_t first, std::uint32_t end) {
    std::vector<Counter*> copying;
    for (std::uint32_t thread = first; thread < end; ++thread) {
      copying.push_back(&threads_[thread].copying);
    }
    for (const StateName& each : kNames) {
      std::vector<Counter*> times;
      for (std::uint32_t thread = first; thread < end; ++thread) {
        times.push_back(&threads_[thread].time[static_cast<std::size_t>(each.state)]);
      }
      registry.counter(of + "." + each.name, "ps", each.doc, std::move(times));
    }
    registry.counter(of + ".copying", "ps", "time on a core spent copying lines",
                     std::move(copying));
  };
  add(path + ".time", 0, threads);
  for (std::uint32_t thread = 0; threads <= kFew && thread < threads; ++thread) {
    add(path + ".thread." + std::to_string(thread), thread, thread + 1);
  }
}

void JobThreads::serialize(Archive& archive) {
  archive.fixed(threads_);
  archive(counts_time_);
  if (archive.loading()) {
    counts_.fill(0);
    for (const JobThread& each : threads_) {
      ++counts_[static_cast<std::size_t>(each.state)];
    }
  }
}

}  // namespace hmsim
