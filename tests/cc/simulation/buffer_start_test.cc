// SPDX-License-Identifier: BSD-3-Clause
// Do the buffers at the start of a run hold the pages that its agents will read?
#include "simulation/buffer_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/simulation/values.h"
#include "tests/cc/traces/causal_trace.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimm = std::uint64_t{1} << 39;  // bit of NVDIMM lines in hmsim's format
constexpr std::uint64_t kLines = 64;

const Assignments kBlock{{"kind", "block_trace"}, {"path", "t"}, {"format", "mqsim"}};
const Assignments kCore{{"kind", "llc_trace"}, {"path", "t"}, {"format", "hmsim"}};
const Assignments kStream =
    keys_from("kind=synthetic target=nvdimm requests=3000 read_ratio=0.7 footprint=512KiB");

// Returns a trace of 200 requests of 1 to 4 blocks to 300 pages; every third one writes.
std::string block_trace() {
  std::string trace;
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    trace += std::to_string(1'000 * i) + " 0 " + std::to_string(random.below(300) * 8) + " " +
             std::to_string(8 * (1 + random.below(4))) + (i % 3 == 0 ? " 0\n" : " 1\n");
  }
  return trace;
}

// Returns a trace of NVDIMM loads among DRAM loads, one page per entry, 10 instructions each.
std::string core_trace(int pages) {
  std::vector<std::uint64_t> records;
  for (int i = 0; i < pages; ++i) {
    const auto page = static_cast<std::uint64_t>(i * 7 % pages);
    records.push_back(hmsim_record(page * kLines, 0, 0, 4));
    records.push_back(hmsim_record(kNvdimm + page * kLines + page % kLines, 0, 0, 4));
  }
  return hmsim_trace(records, 1, 2, 64);
}

// Returns the trace of a thread that loads a line of each of 100 pages, from page 30 on.
std::string captured_trace(const Words& written_before) {
  Words words = written_before;
  words.push_back(runs(1, Leave::goes_on));
  for (std::uint64_t page = 30; page < 130; ++page) {
    words.push_back(misses(kNvdimm + page * kLines, 4));
  }
  return causal_trace(words, 1, 64);
}

const Assignments kJob{{"kind", "job"}, {"path", "t"}, {"format", "hmsim"}, {"cores", "0"}};

Assignments config_of(const std::string& buffer, const Assignments& more = {}) {
  return with({{"nvdimm.capacity", "256MiB"},
               {"nvdimm.ftl.over_provisioning", "30"},
               {"nvdimm.precondition.fill", "0.5"},
               {"nvdimm.precondition.buffer", buffer}},
              more);
}

std::unique_ptr<Simulation> make(const std::vector<Assignments>& agents, const std::string& trace,
                                 const Assignments& config, RunOptions options = {}) {
  options.check = true;
  return std::make_unique<Simulation>(config, agents, options, text_source(trace, 777));
}

struct Outcome {
  double hits;
  double page_reads;  // for the host
  double ticks;
};

Outcome outcome(const std::vector<Assignments>& agents, const std::string& trace,
                const Assignments& config, RunOptions options = {}) {
  const auto simulation = make(agents, trace, config, options);
  run_to_end(*simulation);
  return {value_of(*simulation, "nvdimm.buffer.read_hit_ratio_strict"),
          value_of(*simulation, "nvdimm.nand.reads"), value_of(*simulation, "sim.ticks")};
}

struct Workload {
  const char* what;
  Assignments agent;
  std::string trace;
  RunOptions options = {};
};

std::vector<Workload> workloads() {
  RunOptions warm;
  warm.warmup = 20 * kMicrosecond;
  const std::string blocks = block_trace();
  const std::string core = core_trace(500);
  return {
      {"blocks", kBlock, blocks},
      {"blocks up to a limit", with(kBlock, {{"requests", "40"}, {"skip", "30"}}), blocks},
      {"blocks behind a warm-up", with(kBlock, {{"requests", "40"}, {"threads", "2"}}), blocks,
       warm},
      {"blocks of windows, one before the other",
       with(kBlock,
            {{"windows", "skip=100,warmup=5,requests=20;skip=10,requests=20"}, {"loop", "2"}}),
       blocks},
      {"blocks that are written through the caches", with(kBlock, {{"copy", "write_back"}}),
       blocks},
      {"blocks past the capacity's end", with(kBlock, {{"device_stride", "4KiB"}}),
       "0 9999 1600000 64 1\n5 65535 409600000 800 1\n"},
      {"a core", kCore, core},
      {"a core up to a limit", with(kCore, {{"instructions", "2000"}, {"skip", "301"}}), core},
      {"a core behind a warm-up", with(kCore, {{"instructions", "1500"}}), core, warm},
      {"a core's windows",
       with(kCore,
            {{"windows", "skip=1000,warmup=200,instructions=500;instructions=300"}, {"loop", "3"}}),
       core},
      {"a copy", with(kCore, {{"copies", "3"}, {"copy_number", "2"}}), core},
      {"generated requests", kStream, ""},
      {"a pattern", keys_from("kind=pattern target=nvdimm requests=2000 read_randomness=0.5"), ""},
  };
}

TEST(Resident, EveryReadOfARunThatFitsHits) {
  for (const Workload& workload : workloads()) {
    for (const char* const channels : {"1", "2", "3"}) {
      SCOPED_TRACE(std::string(workload.what) + ", channels: " + channels);
      const auto run = [&](const char* buffer) {
        return outcome({workload.agent}, workload.trace,
                       config_of(buffer, {{"controller.channels", channels}}), workload.options);
      };
      const Outcome cold = run("none");
      const Outcome resident = run("resident");
      EXPECT_LT(cold.hits, 1);
      EXPECT_GT(cold.page_reads, 0);
      EXPECT_EQ(resident.hits, 1);
      EXPECT_EQ(resident.page_reads, 0);
      EXPECT_LT(resident.ticks, cold.ticks);
    }
  }
}

TEST(Resident, AShareOfPagesIncludesThoseOfSmallerShares) {
  constexpr int kPages = 10'000;
  for (const std::uint64_t seed : {1u, 2u}) {
    int held = 0;
    int other = 0;
    for (int page = 0; page < kPages; ++page) {
      const bool some = starts_resident(page, 0.3, seed);
      EXPECT_TRUE(!some || starts_resident(page, 0.6, seed));
      EXPECT_FALSE(starts_resident(page, 0, seed));
      EXPECT_TRUE(starts_resident(page, 1, seed));
      held += some ? 1 : 0;
      other += some && starts_resident(page, 0.3, seed + 1) ? 1 : 0;
    }
    EXPECT_NEAR(held, 0.3 * kPages, 4 * std::sqrt(0.3 * 0.7 * kPages));
    EXPECT_NEAR(other, 0.09 * kPages, 4 * std::sqrt(0.09 * 0.91 * kPages)) << "seeds differ";
  }
}

// Each agent reads each of its pages once, so flash reads are the pages that the buffer lacked.
TEST(Resident, TheSamePagesStartInTheBufferUnderEveryPolicy) {
  std::string blocks;
  for (int page = 0; page < 300; ++page) {
    blocks += "0 0 " + std::to_string(page * 8) + " 8 1\n";
  }
  struct Case {
    Assignments agent;
    std::string trace;
    int first;
    int end;
  };
  for (const Case& each : {Case{kBlock, blocks, 0, 300}, Case{kCore, core_trace(500), 0, 500},
                           Case{kJob, captured_trace({}), 30, 130}}) {
    for (const char* const share : {"0", "0.3", "0.5", "1"}) {
      int absent = 0;
      for (int page = each.first; page < each.end; ++page) {
        absent += starts_resident(page, std::stod(share), RunOptions().seed) ? 0 : 1;
      }
      for (const char* const policy : {"fcfs", "bliss"}) {
        for (const char* const buffer : {"resident", "resident_dirty", "none"}) {
          const Outcome run = outcome({each.agent}, each.trace,
                                      config_of(buffer, {{"nvdimm.precondition.resident", share},
                                                         {"nvdimm.precondition.dirty", "0"},
                                                         {"controller.scheduler", policy}}));
          EXPECT_EQ(run.page_reads, std::string(buffer) == "none" ? each.end - each.first : absent);
        }
      }
    }
  }
}

TEST(Resident, AgentsThatReadTheSamePagesShareThem) {
  const Assignments other = with(kBlock, {{"core", "1"}, {"skip", "50"}});
  const Assignments write_only =
      with(kStream, {{"core", "2"}, {"read_ratio", "0"}, {"measured", "false"}});
  const Outcome both = outcome({kBlock, other, write_only}, block_trace(), config_of("resident"));
  EXPECT_EQ(both.hits, 1);
  EXPECT_EQ(both.page_reads, 0);
}

// A core reads pages 0, 7, 14, ... once each. The buffer holds the first pages in read order.
TEST(Resident, PagesBeyondTheBufferAreReadFromFlash) {
  constexpr int kPages = 500;
  for (const int channels : {1, 2, 5}) {
    const Assignments more{{"controller.channels", std::to_string(channels)},
                           {"nvdimm.buffer.read_size", std::to_string(400 / channels) + "KiB"}};
    const Outcome run =
        outcome({with(kCore, {{"window", "8"}})}, core_trace(kPages), config_of("resident", more));
    EXPECT_DOUBLE_EQ(run.hits, 100.0 / kPages);
    EXPECT_EQ(run.page_reads, kPages - 100);
  }
}

TEST(Resident, AgentsTakeTurns) {
  const Assignments first =
      with(kStream,
           keys_from("pattern=strided requests=100 read_ratio=1 outstanding=1 footprint=400KiB"));
  const Assignments second = with(first, {{"core", "1"}, {"offset", "1MiB"}});
  const Outcome run =
      outcome({first, second}, "", config_of("resident", {{"nvdimm.buffer.read_size", "80KiB"}}));
  EXPECT_NEAR(run.hits, 0.1, 0.001) << "10 of the 100 pages of each; the faster one starts over";
}

TEST(Captured, ReadsOfTheLatestWritesHitInTheWritePart) {
  // Pages 0 to 49, then 60 to 99: a buffer of 50 pages holds the latter and pages 40 to 49.
  const std::string trace = captured_trace({written(0, 50), written(60, 40)});
  for (const int channels : {1, 2, 5}) {
    const auto run = [&](const char* buffer, const std::string& size) {
      return outcome({kJob}, trace,
                     config_of(buffer, {{"controller.channels", std::to_string(channels)},
                                        {"nvdimm.buffer.write_size", size}}));
    };
    EXPECT_EQ(run("none", "4MiB").page_reads, 100);
    EXPECT_EQ(run("captured", "4MiB").page_reads, 100 - 20 - 40);
    const std::string fifty_pages = std::to_string(200 / channels) + "KiB";
    EXPECT_EQ(run("captured", fifty_pages).page_reads, 100 - 10 - 40);
  }
}

TEST(Captured, TasksHaveSeparatePages) {
  const auto run = [](const char* tasks, const char* buffer) {
    return outcome({with(kJob, {{"tasks", tasks}})}, captured_trace({written(30, 100)}),
                   config_of(buffer))
        .page_reads;
  };
  EXPECT_EQ(run("2", "none"), 200);
  EXPECT_EQ(run("2", "captured"), 0);
}

TEST(Captured, IsAnErrorWithoutATraceThatRecordsIt) {
  EXPECT_TRUE(
      names(error_from([] { make({kJob}, captured_trace({}), config_of("captured")); }),
            {"nvdimm.precondition.buffer: ", "'captured'", "'none'", "'dirty'", "'resident'"}));
}

TEST(Resident, ASavedRunContinuesExactly) {
  for (const char* const buffer : {"dirty", "resident"}) {
    const Assignments config = config_of(
        buffer, keys_from("nvdimm.buffer.read_size=256KiB nvdimm.buffer.write_size=128KiB "
                          "nvdimm.buffer.manager=prefetch_preevict controller.channels=2"));
    const std::vector<Assignments> agents{kBlock, with(kStream, {{"core", "1"}})};
    const auto whole = make(agents, block_trace(), config);
    const std::string start = whole->save();
    ASSERT_NO_THROW(make(agents, block_trace(), config)->load(start));
    for (const Tick at : {Tick(1), 5 * kMicrosecond, 2'000 * kMicrosecond}) {
      const auto first = make(agents, block_trace(), config);
      first->advance(at);
      const auto second = make(agents, block_trace(), config);
      second->load(first->save());
      const auto uninterrupted = make(agents, block_trace(), config);
      uninterrupted->advance(at);
      for (const auto& run : {first.get(), second.get(), uninterrupted.get()}) {
        run->advance(9'000 * kMicrosecond);
      }
      EXPECT_EQ(second->save(), uninterrupted->save());
      EXPECT_EQ(first->save(), uninterrupted->save());
    }
  }
}

TEST(Resident, IsIgnoredWithoutAnNvdimm) {
  const Assignments core{{"kind", "synthetic_core"}, {"instructions", "1000"}};
  const auto run = make({core}, "", with(config_of("resident"), {{"nvdimm.present", "false"}}));
  EXPECT_TRUE(run->run(1'000'000));
}

}  // namespace
}  // namespace hmsim::testing
