// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_threads.h"

#include <array>

#include "core/statistic_table.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kFew = 64;  // limit for statistics per thread

using Table = StatisticTable<JobThread>;

template <ThreadState kState>
Counter& time_in(JobThread& thread) {
  return thread.time[static_cast<std::size_t>(kState)];
}

constexpr std::array kRows{
    Table::sum<time_in<ThreadState::running>>("running", "ps", "time on a core"),
    Table::sum<time_in<ThreadState::ready>>("run_queue", "ps", "time ready, with no core free"),
    Table::sum<time_in<ThreadState::reading>>("reading", "ps",
                                              "time asleep while an engine copied from the NVDIMM"),
    Table::sum<time_in<ThreadState::read_ahead>>("read_ahead", "ps",
                                                 "time asleep until a prefetched page arrived"),
    Table::sum<time_in<ThreadState::writing>>("writing", "ps",
                                              "time asleep while an engine copied to the NVDIMM"),
    Table::sum<time_in<ThreadState::throttled>>(
        "throttled", "ps", "time asleep because too much data waited for the flushers"),
    Table::sum<time_in<ThreadState::syncing>>("syncing", "ps",
                                              "time asleep until written data were durable"),
    Table::sum<time_in<ThreadState::waiting>>("waiting", "ps", "time until another thread woke it"),
    Table::sum<time_in<ThreadState::sleeping>>("sleeping", "ps", "time asleep by a sleep step"),
    Table::sum<&JobThread::copying>("copying", "ps", "time on a core spent copying lines"),
};

}  // namespace

void JobThread::serialize(Archive& archive) {
  archive(place, record, has_record, next_line, lines, left, copy_instructions);
  archive(sync_began, fetched_copy, copies[0], copies[1], state, since, time, copying);
  archive.check(left >= 0, "thread of a job with negative work left");
}

void JobThreads::count_time(JobThread& thread, Tick now) const {
  if (counts_time_) {
    thread.time[static_cast<std::size_t>(thread.state)] +=
        static_cast<Counter>((now - thread.since).value());
  }
  thread.since = now;
}

void JobThreads::enter(std::uint32_t thread, ThreadState state, Tick now) {
  JobThread& each = threads_[thread];
  count_time(each, now);
  --counts_[static_cast<std::size_t>(each.state)];
  ++counts_[static_cast<std::size_t>(state)];
  each.state = state;
}

void JobThreads::account(Tick now, bool counts) {
  for (JobThread& each : threads_) {
    count_time(each, now);
  }
  counts_time_ = counts;
}

void JobThreads::register_statistics(StatisticRegistry& registry, const std::string& path,
                                     std::uint32_t threads) {
  std::vector<JobThread*> all;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    all.push_back(&threads_[thread]);
  }
  Table::report(kRows, registry, all, path + ".time.");
  for (std::size_t thread = 0; thread <= kFew && thread < all.size(); ++thread) {
    Table::report(kRows, registry, {all[thread]}, path + ".thread." + std::to_string(thread) + ".");
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
