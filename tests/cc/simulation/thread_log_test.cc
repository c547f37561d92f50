// SPDX-License-Identifier: BSD-3-Clause
// Does the thread log match statistics and requests up to its limit, without changing the run?
#include "simulation/thread_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/simulation/job_rig.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kMany = 10'000'000;
constexpr int kAlike = 3;  // threads of each kind in program(), except the waker

struct Row {
  std::int64_t begin, end, agent, thread, task, name, state, core;
};

std::vector<Row> rows_of(Simulation& simulation) {
  simulation.thread_log()->end(simulation.now());
  const ThreadLog::Columns c = simulation.thread_log()->take();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < c[0].size(); ++i) {
    rows.push_back({c[0][i], c[1][i], c[2][i], c[3][i], c[4][i], c[5][i], c[6][i], c[7][i]});
  }
  return rows;
}

std::map<std::int64_t, std::vector<Row>> by_thread(const std::vector<Row>& rows) {
  std::map<std::int64_t, std::vector<Row>> threads;
  for (const Row& row : rows) {
    threads[row.thread].push_back(row);
  }
  return threads;
}

// Returns threads that use all kinds of steps in random order; one that never waits wakes the
// waiting ones.
std::string program(std::uint64_t seed) {
  Random random(seed);
  int waits = 0;
  const auto steps = [&](int count, bool waiting) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const std::string page = std::to_string(random.below(1'000));
      const std::string few = std::to_string(1 + random.below(4));
      switch (random.below(waiting ? 10 : 9)) {
        case 0:
          text += "read " + page + " " + few + "\n";
          break;
        case 1:
          text += "write " + page + " " + few + "\n";
          break;
        case 2:
          text += "sync\n";
          break;
        case 3:
          text += "sleep " + page + "ns\n";
          break;
        case 4:
          text += "load " + std::to_string(64 * random.below(1 << 14)) + "\n";
          break;
        case 5:
          text += "store " + std::to_string(64 * random.below(1 << 14)) + "\n";
          break;
        case 6:
          text += "compute " + std::to_string(1 + random.below(40'000)) + "\n";
          break;
        case 7:
          text += "read_ahead " + page + " " + few + "\n";
          break;
        case 8:
          text += "use " + page + "\n";
          break;
        default:
          text += "wait go\n";
          waits += kAlike;
      }
    }
    return text;
  };
  std::string text;
  for (const char* name : {"a", "b"}) {
    text += std::string("thread ") + name + " " + std::to_string(kAlike) + "\n" + steps(20, true);
  }
  text += "thread waker\n";
  for (int i = 0; i < waits; ++i) {
    text += steps(1, false) + "wake go\n";
  }
  return text + "compute 1\n";
}

Job job_of(const std::string& machine, const std::string& flushers, std::uint64_t seed) {
  return {program(seed),
          {{"cores", "1-2"}, {"tasks", "2"}, {"flushers", flushers}, {"dirty_ratio", "0.000002"}},
          {{"frontend.node.machine", machine},
           {"frontend.node.copy_instructions", "24"},
           {"frontend.node.quantum", "5us"},
           {"frontend.node.switch_time", "300ns"}},
          seed,
          kMany};
}

using Case = std::tuple<const char*, const char*, std::uint64_t>;
class ThreadLogAndStatistics : public ::testing::TestWithParam<Case> {
 protected:
  ThreadLogAndStatistics()
      : simulation_(run(std::apply(job_of, GetParam()))), rows_(rows_of(*simulation_)) {}

  std::int64_t value(const std::string& path) const {
    return static_cast<std::int64_t>(value_of(*simulation_, path));
  }

  std::unique_ptr<Simulation> simulation_;
  std::vector<Row> rows_;
};

// States follow one another from the start to the thread's end, which for one thread is the job's
// end.
TEST_P(ThreadLogAndStatistics, AThreadIsInOneStateAtATime) {
  std::int64_t last = 0;
  for (const auto& [thread, rows] : by_thread(rows_)) {
    const bool flusher = rows.front().task < 0;
    std::int64_t to = flusher ? rows.front().begin : 0;
    for (const Row& row : rows) {
      EXPECT_LT(row.begin, row.end);
      EXPECT_TRUE(flusher ? row.begin >= to : row.begin == to) << thread << " at " << to;
      to = row.end;
    }
    last = std::max(last, flusher ? 0 : to);
  }
  EXPECT_EQ(last, simulation_->now().value());
}

TEST_P(ThreadLogAndStatistics, StatesAddUp) {
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> states{
      {"run_queue", {0}}, {"running", {1, ThreadLog::kCopying}},
      {"reading", {2}},   {"read_ahead", {3}},
      {"writing", {4}},   {"throttled", {5}},
      {"syncing", {6}},   {"waiting", {7}},
      {"sleeping", {8}},  {"copying", {ThreadLog::kCopying}}};
  auto threads = by_thread(rows_);
  const int program_threads = 2 * (2 * kAlike + 1);
  for (const auto& [name, numbers] : states) {
    std::int64_t all = 0;
    for (int thread = 0; thread < program_threads; ++thread) {
      std::int64_t sum = 0;
      for (const Row& row : threads[thread]) {
        const bool counts = std::count(numbers.begin(), numbers.end(), row.state) > 0;
        sum += counts ? row.end - row.begin : 0;
      }
      EXPECT_EQ(sum, value("agent.0.thread." + std::to_string(thread) + "." + name));
      all += sum;
    }
    EXPECT_EQ(all, value("agent.0.time." + name));
  }
}

TEST_P(ThreadLogAndStatistics, ACoreRunsOneThreadAtATime) {
  std::map<std::int64_t, std::vector<Row>> cores;
  for (const Row& row : rows_) {
    EXPECT_EQ(row.core >= 0, row.state == 1 || row.state == ThreadLog::kCopying);
    if (row.core >= 0) {
      cores[row.core].push_back(row);
    }
  }
  ASSERT_EQ(cores.size(), 2U);
  for (auto& [core, rows] : cores) {
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.begin < b.begin; });
    std::int64_t to = 0;
    std::int64_t busy = 0;
    std::int64_t switches = 0;
    std::int64_t thread = rows.front().thread;
    for (const Row& row : rows) {
      EXPECT_GE(row.begin, to);
      to = row.end;
      busy += row.end - row.begin;
      switches += row.thread == thread ? 0 : 1;
      thread = row.thread;
    }
    EXPECT_EQ(busy, value("core." + std::to_string(core) + ".busy"));
    EXPECT_EQ(switches, value("core." + std::to_string(core) + ".switches"));
  }
}

// A ready thread that does not run has no idle core.
TEST_P(ThreadLogAndStatistics, NoThreadWaitsForAFreeCore) {
  std::vector<std::tuple<std::int64_t, int, int>> steps;  // time, running, ready
  for (const Row& row : rows_) {
    const int running = row.core >= 0 ? 1 : 0;
    const int ready = row.state == 0 ? 1 : 0;
    steps.emplace_back(row.begin, running, ready);
    steps.emplace_back(row.end, -running, -ready);
  }
  std::sort(steps.begin(), steps.end());
  int running = 0;
  int ready = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [time, runs, waits] = steps[i];
    running += runs;
    ready += waits;
    if (i + 1 == steps.size() || std::get<0>(steps[i + 1]) != time) {
      EXPECT_LE(running, 2) << time;
      EXPECT_TRUE(running == 2 || ready == 0) << time;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ThreadLogAndStatistics,
                         ::testing::Combine(::testing::Values("table3", "dma"),
                                            ::testing::Values("0", "2"),
                                            ::testing::Values(1, 2, 3)));

// The request log gives the expected times: a page read lasts from the arrival of its first line's
// request to the end of its last one.
TEST(ThreadLog, ReadsLastAsLongAsTheirLines) {
  Job job{"thread a\ncompute 4000\nread 7\ncompute 400\nread 90\nread 91\n",
          {},
          {{"frontend.node.machine", "dma"}, {"nvdimm.access", "line"}}};
  job.log_rows = kMany;
  const auto simulation = run(job);
  const RequestLog::Columns requests = simulation->request_log()->take();
  const std::vector<std::int64_t>& arrivals = requests[1];
  const std::vector<std::int64_t>& ends = requests[5];
  ASSERT_EQ(arrivals.size(), 3 * kLinesPerPage);
  std::vector<Row> reads;
  for (const Row& row : rows_of(*simulation)) {
    if (row.state == static_cast<std::int64_t>(ThreadState::reading)) {
      reads.push_back(row);
    }
  }
  ASSERT_EQ(reads.size(), 3U);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const auto first = static_cast<std::ptrdiff_t>(i * kLinesPerPage);
    const auto last = static_cast<std::ptrdiff_t>((i + 1) * kLinesPerPage);
    EXPECT_EQ(reads[i].begin, *std::min_element(arrivals.begin() + first, arrivals.begin() + last));
    EXPECT_EQ(reads[i].end, *std::max_element(ends.begin() + first, ends.begin() + last));
  }
}

// A core copies from the instruction before the first line's load to that of the last one.
TEST(ThreadLog, CopyingEndsWithTheLastLinesLoad) {
  Job job{"thread a\ncompute 4000\nread 7\ncompute 4000\n",
          {},
          {{"frontend.node.machine", "marss"}, {"frontend.node.mshrs", "64"}}};
  job.log_rows = kMany;
  const auto simulation = run(job);
  const std::vector<std::int64_t> arrivals = simulation->request_log()->take()[1];
  const std::int64_t slot = 125;
  for (const Row& row : rows_of(*simulation)) {
    if (row.state == ThreadLog::kCopying) {
      EXPECT_EQ(row.begin, 0);  // with the instructions before its first line
      EXPECT_EQ(row.end, *std::max_element(arrivals.begin(), arrivals.end()) + slot);
      return;
    }
  }
  FAIL() << "nothing is copied";
}

TEST(ThreadLog, KeepsTheFirstRowsWithoutGaps) {
  Job job = job_of("table3", "2", 4);
  job.log_rows = 200;
  const auto simulation = run(job);
  const std::vector<Row> rows = rows_of(*simulation);
  EXPECT_TRUE(simulation->thread_log()->full());
  EXPECT_LE(rows.size(), 200U);
  EXPECT_GT(rows.size(), 150U);
  job.log_rows = kMany;
  const auto whole = run(job);
  EXPECT_EQ(whole->save(), simulation->save());
  auto expected = by_thread(rows_of(*whole));
  for (const auto& [thread, found] : by_thread(rows)) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].begin, expected[thread][i].begin);
      EXPECT_EQ(found[i].state, expected[thread][i].state);
      if (i + 1 < found.size()) {
        EXPECT_EQ(found[i].end, expected[thread][i].end);
      }
    }
  }
}

TEST(ThreadLog, ChangesNothing) {
  Job job = job_of("table3", "2", 5);
  const auto with = run(job);
  job.log_rows = 0;
  const auto without = run(job);
  EXPECT_EQ(without->thread_log(), nullptr);
  EXPECT_EQ(with->save(), without->save());
}

// After a checkpoint the log holds the rest of the run. For a line being copied at that time, the
// slot of its dispatch may be missing.
TEST(ThreadLog, BeginsAtTheCheckpointOfAContinuedRun) {
  const Job job = job_of("table3", "2", 6);
  const auto whole = run(job);
  const std::vector<Row> rows = rows_of(*whole);
  for (const std::uint64_t steps : {1, 100, 500, 1'000, 1'500, 2'000}) {
    const auto first = make(job);
    first->run(steps);
    const auto second = make(job);
    second->load(first->save(), "a.ckpt");
    const std::int64_t at = first->now().value();
    ASSERT_GT(whole->now().value(), at);
    run_to_end(*second);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> left;  // by thread and state
    for (const Row& row : rows) {
      left[{row.thread, row.state}] += std::max<std::int64_t>(0, row.end - std::max(row.begin, at));
    }
    for (const Row& row : rows_of(*second)) {
      EXPECT_GE(row.begin, at);
      left[{row.thread, row.state}] -= row.end - row.begin;
    }
    for (const auto& [key, time] : left) {
      EXPECT_NEAR(static_cast<double>(time), 0, 125) << key.first << " in " << key.second;
    }
  }
}

TEST(ThreadLog, NamesThreads) {
  Job job{"thread main\nwrite 1\nwake go\nthread helper 2\ncompute 5\n", {{"tasks", "2"}}};
  job.log_rows = kMany;
  const auto simulation = run(job);
  std::map<std::int64_t, std::pair<std::string, std::int64_t>> names;
  for (const Row& row : rows_of(*simulation)) {
    names[row.thread] = {simulation->thread_log()->names()[static_cast<std::size_t>(row.name)],
                         row.task};
  }
  const std::map<std::int64_t, std::pair<std::string, std::int64_t>> expected{
      {0, {"main", 0}},   {1, {"helper", 0}}, {2, {"helper", 0}},  {3, {"main", 1}},
      {4, {"helper", 1}}, {5, {"helper", 1}}, {6, {"flusher", -1}}};
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace hmsim::testing
