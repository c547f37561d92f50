// SPDX-License-Identifier: BSD-3-Clause
// Programs of threads from captured causes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "tests/cc/names.h"
#include "tests/cc/traces/causal_trace.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimmLine = std::uint64_t{1} << 39;

// Returns a thread's steps as letters with operands: m and n a miss of DRAM and of the NVDIMM, R
// and W transfers, S sync, w wait, k wake, z sleep. A number before a letter is the record's gap.
std::string steps_of(CausalJob& job, std::uint32_t thread) {
  std::string text;
  JobPlace place = job.begin(thread);
  for (;;) {
    const JobRecord record = job.next(place);
    text += record.gap > 0 ? std::to_string(record.gap) : "";
    switch (record.action) {
      case JobAction::miss:
        text += record.miss.memory == MemoryClass::nvdimm ? "n " : "m ";
        break;
      case JobAction::read:
        text += "R" + std::to_string(record.first_line) + "+" + std::to_string(record.lines) + " ";
        break;
      case JobAction::write:
        text += "W" + std::to_string(record.first_line) + "+" + std::to_string(record.lines) + " ";
        break;
      case JobAction::sync:
        text += "S ";
        break;
      case JobAction::wait:
        text += "w" + std::to_string(record.event) + " ";
        break;
      case JobAction::wake:
        text += "k" + std::to_string(record.event) + " ";
        break;
      case JobAction::sleep:
        text += "z" + std::to_string(record.time / kMicrosecond) + " ";
        break;
      default:
        return text;
    }
  }
}

std::string error_of(const Words& words) {
  return error_from([&] {
    CausalJob job = causal_job(words);
    for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
      steps_of(job, thread);
    }
  });
}

TEST(CausalJob, ThreadsReplayTheirRecordsAndWaits) {
  CausalJob job = causal_job({escape(EscapeCode::thread, 7), runs(7, Leave::goes_on), misses(1, 10),
                              computes(5), runs(9, Leave::waits), misses(2, 20), wakes(7),
                              misses(3, 4), runs(7, Leave::goes_on), misses(4, 6), computes(3),
                              runs(9, Leave::ends), misses(5, 8)});
  ASSERT_EQ(job.threads(), 2u);
  EXPECT_EQ(job.name_of(0), "7");
  EXPECT_EQ(steps_of(job, 0), "10m 5w0 6m 3");
  EXPECT_EQ(steps_of(job, 1), "20m k0 4m 8m ");
}

TEST(CausalJob, NamesMatchTheTrace) {
  const auto three = [](const char* text) {
    return std::uint64_t{7} | static_cast<std::uint64_t>(text[0]) << 16 |
           static_cast<std::uint64_t>(text[1]) << 24 | static_cast<std::uint64_t>(text[2]) << 32;
  };
  CausalJob job = causal_job({escape(EscapeCode::thread, 7), escape(EscapeCode::name, three("jav")),
                              escape(EscapeCode::name, three("a\n\0")), escape(EscapeCode::name, 7),
                              escape(EscapeCode::name, 7), escape(EscapeCode::name, 7),
                              runs(7, Leave::goes_on), misses(1, 10)});
  EXPECT_EQ(job.name_of(0), "java? 7");
  CausalJob renamed =
      causal_job({escape(EscapeCode::thread, 7), escape(EscapeCode::name, three("jav")),
                  escape(EscapeCode::name, 7), escape(EscapeCode::name, 7),
                  escape(EscapeCode::name, 7), escape(EscapeCode::name, 7), runs(7, Leave::goes_on),
                  escape(EscapeCode::name, three("gc\0")), misses(1, 10)});
  EXPECT_EQ(renamed.name_of(0), "gc 7");
}

// A wake can precede its wait in the capture. The thread then waits at the place that it had
// reached at the time of the wake.
TEST(CausalJob, AWakeBeforeItsWaitKeepsItsPlace) {
  CausalJob job =
      causal_job({runs(1, Leave::goes_on, 0), runs(2, Leave::goes_on, 1), misses(1, 10, 0),
                  misses(2, 5, 1), wakes(1, 1), misses(3, 10, 0), misses(4, 5, 1)});
  EXPECT_EQ(steps_of(job, 0), "10m w0 10m ");
  EXPECT_EQ(steps_of(job, 1), "5m k0 5m ");
  // A thread that was preempted on its way into its wait.
  CausalJob away =
      causal_job({runs(1, Leave::goes_on), misses(1, 1), runs(2, Leave::goes_on), wakes(1),
                  wakes(1), misses(2, 1), runs(1, Leave::goes_on), misses(3, 1)});
  EXPECT_EQ(steps_of(away, 0), "1m w0 w0 1m ");
  EXPECT_EQ(steps_of(away, 1), "k0 k0 1m ");
}

TEST(CausalJob, ReportsPagesWrittenBeforeItsPart) {
  const auto writes = [](std::uint64_t page, unsigned line) {
    return hmsim_record(kNvdimmLine | (page * 64 + line), 2, 0, 10);
  };
  const Words words{written(8, 3), written(2, 1), written(9, 1), runs(1, Leave::goes_on),
                    misses(1, 10), writes(20, 0), writes(20, 1), writes(8, 5),
                    misses(1, 10), writes(2, 0)};
  const std::vector<std::uint64_t> at_begin{9, 2, 10, 8};
  EXPECT_EQ(causal_job(words).written_before(), at_begin);
  const std::vector<std::uint64_t> later{8, 20, 9, 2, 10};
  EXPECT_EQ(causal_job(words, false, 50).written_before(), later);
  EXPECT_EQ(causal_job({runs(1, Leave::goes_on), misses(1, 10)}).written_before().size(), 0u);
  EXPECT_TRUE(names(error_of({runs(1, Leave::goes_on), written(2, 1), misses(1, 10)}),
                    {"x: record 2: ", "written before"}));
}

TEST(CausalJob, AlarmsAreSleepsAndTheIdleLoopWakesAtOnce) {
  CausalJob job =
      causal_job({runs(1, Leave::goes_on), misses(1, 1), runs(0, Leave::waits), alarms(1, 120),
                  runs(1, Leave::goes_on), misses(2, 1), runs(0, Leave::waits), wakes(1),
                  runs(1, Leave::goes_on), alarms(1, 0), misses(3, 1)});
  EXPECT_EQ(steps_of(job, 0), "1m z120 1m z0 1m ");
}

TEST(CausalJob, AThreadThatRunsWithoutAWakeDidNotWait) {
  CausalJob job = causal_job({runs(1, Leave::goes_on), misses(1, 1), runs(2, Leave::waits),
                              misses(2, 1), runs(1, Leave::goes_on), misses(3, 2)});
  EXPECT_EQ(steps_of(job, 0), "1m 2m ");
}

TEST(CausalJob, RequestsToTheBlockDeviceBecomeTransfersForAnEngine) {
  const Words words{runs(1, Leave::goes_on),
                    misses(1, 10),
                    begins_bio(2, BioOperation::read),
                    misses(kNvdimmLine | 641, 5),  // the page's first line was in a cache
                    misses(2, 3),
                    misses(kNvdimmLine | 642, 4),
                    runs(2, Leave::goes_on),  // preempted within the request
                    misses(3, 1),
                    runs(1, Leave::goes_on),
                    misses(kNvdimmLine | 643, 4),
                    ends_bio(),
                    misses(4, 7),
                    misses(kNvdimmLine | 5000, 2),  // mapped memory
                    begins_bio(0, BioOperation::flush),
                    ends_bio(),
                    begins_bio(1, BioOperation::write, 8),
                    hmsim_record(kNvdimmLine | 64, 2, 0, 8),
                    hmsim_record(kNvdimmLine | 65, 2, 0, 8),
                    ends_bio()};
  CausalJob engine = causal_job(words, true);
  EXPECT_EQ(steps_of(engine, 0), "10m 5R640+128 3m 7m 2n S S 8W64+64 ");
  CausalJob core = causal_job(words, false);
  EXPECT_EQ(steps_of(core, 0), "10m 5n 3m 4n 4n 7m 2n S S 8n 8n ");
}

TEST(CausalJob, APartBeginsWithTheRunningThreads) {
  const Words words{
      runs(1, Leave::goes_on, 0), runs(2, Leave::goes_on, 1), misses(1, 10, 0), misses(2, 10, 1),
      runs(3, Leave::waits, 0),   misses(3, 10, 0),           wakes(1, 0),      misses(4, 10, 1),
      runs(1, Leave::ends, 0),    misses(5, 10, 0),           misses(6, 10, 0)};
  CausalJob job = causal_job(words, false, 20, 30);
  ASSERT_EQ(job.threads(), 3u);
  EXPECT_EQ(job.name_of(1), "2");
  EXPECT_EQ(steps_of(job, 0), "w0 10m ");
  EXPECT_EQ(steps_of(job, 1), "10m ");
  EXPECT_EQ(steps_of(job, 2), "10m k0 ");
  EXPECT_THROW(causal_job(words, false, 1'000), InputError);
}

TEST(CausalJob, ErrorsNameTheRecord) {
  EXPECT_TRUE(
      names(error_of({runs(1, Leave::goes_on, 0), misses(1, 1, 0), runs(1, Leave::goes_on, 1)}),
            {"x: record 3: ", "thread 1", "vCPU 0"}));
  EXPECT_TRUE(names(error_of({misses(1, 1)}), {"x: ", "no thread"}));
  EXPECT_TRUE(
      names(error_of({runs(1, static_cast<Leave>(3))}), {"x: block 1: record 1: ", "leaves"}));
  EXPECT_TRUE(names(error_of({runs(1, Leave::goes_on), escape(EscapeCode::wake, 1 << 16)}),
                    {"x: block 1: record 2: ", "bits"}));
  EXPECT_TRUE(names(error_of({wakes(0)}), {"x: block 1: record 1: ", "thread 0"}));
  EXPECT_TRUE(
      names(error_of({escape(EscapeCode::bio, 5 << 16)}), {"x: block 1: record 1: ", "bio"}));
  EXPECT_TRUE(names(error_of({hmsim_record(0, 3, 0, 13)}),
                    {"x: block 1: record 1: ", "escape code", "13", "12"}));
}

// Random machines: in any order of replay, each wait ends, no thread passes the point of its waker,
// and no miss is lost.
TEST(CausalJob, AnyOrderOfReplayThatKeepsWaitsEnds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto below = [&](std::uint64_t end) { return random.below(end); };
    constexpr std::uint64_t kThreads = 6;
    std::array<std::uint64_t, 2> current{};
    std::array<bool, kThreads + 1> waits{};
    std::array<bool, kThreads + 1> runs_now{};
    Words words;
    std::uint64_t captured = 0;
    for (int step = 0; step < 300; ++step) {
      const auto vcpu = static_cast<unsigned>(below(2));
      const std::uint64_t thread = 1 + below(kThreads);
      switch (below(4)) {
        case 0:
          if (!waits[thread] && !runs_now[thread]) {
            const bool blocks = current[vcpu] != 0 && below(2) == 0;
            words.push_back(runs(thread, blocks ? Leave::waits : Leave::goes_on, vcpu));
            waits[current[vcpu]] = blocks;
            runs_now[current[vcpu]] = false;
            current[vcpu] = thread;
            runs_now[thread] = true;
          }
          break;
        case 1:
          if (current[vcpu] != 0) {
            words.push_back(wakes(thread, vcpu));
            waits[thread] = waits[thread] && thread == current[vcpu];
          }
          break;
        default:
          if (current[vcpu] != 0) {
            words.push_back(misses(words.size(), 1 + below(50), vcpu));
            ++captured;
          }
      }
    }
    if (captured == 0) {
      continue;
    }
    CausalJob job = causal_job(words);
    std::vector<JobPlace> places;
    std::vector<bool> done(job.threads(), false);
    std::vector<std::uint64_t> wakes_left(job.threads(), 0);
    std::vector<bool> waiting(job.threads(), false);
    for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
      places.push_back(job.begin(thread));
    }
    std::uint64_t replayed = 0;
    for (;;) {
      std::vector<std::uint32_t> able;
      for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
        if (!done[thread] && (!waiting[thread] || wakes_left[thread] > 0)) {
          able.push_back(thread);
        }
      }
      if (able.empty()) {
        break;
      }
      const std::uint32_t thread = able[below(able.size())];
      if (waiting[thread]) {
        --wakes_left[thread];
        waiting[thread] = false;
      }
      const JobRecord record = job.next(places[thread]);
      replayed += record.action == JobAction::miss ? 1 : 0;
      waiting[thread] = record.action == JobAction::wait;
      done[thread] = record.action == JobAction::end;
      if (record.action == JobAction::wake) {
        ++wakes_left[record.event];
      }
    }
    EXPECT_EQ(std::count(done.begin(), done.end(), true), job.threads()) << seed;
    EXPECT_EQ(replayed, captured) << seed;
  }
}

}  // namespace
}  // namespace hmsim::testing
