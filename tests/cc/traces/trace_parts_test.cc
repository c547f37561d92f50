// SPDX-License-Identifier: BSD-3-Clause
// Parts of traces, rounds, copies, fences and dependence: does a core act as on a trace cut and
// joined by hand?
#include <gtest/gtest.h>

#include "agents/core/dependent_misses.h"
#include "core/random.h"
#include "tests/cc/agents/instruction_model.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

struct Record {
  std::int64_t at;  // instruction, from 1
  std::uint64_t address;
  std::uint64_t write;  // 0: no write
};

std::vector<Record> records_of(Random& random, int count) {
  std::vector<Record> records;
  std::int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(random.below(3) == 0 ? random.below(300) : random.below(9)) + 1;
    const std::uint64_t line = 64 * (random.below(1 << 20) + 1);
    records.push_back({at, line, random.below(4) == 0 ? line + (1 << 27) : 0});
  }
  return records;
}

// Appends at most `length` instructions of records, those after `from`. They begin at instruction
// `start`.
void append(std::vector<Record>& to, const std::vector<Record>& records, std::int64_t start,
            std::int64_t from, std::int64_t length) {
  for (const Record& record : records) {
    if (record.at > from && record.at <= from + length) {
      to.push_back({start + record.at - from, record.address, record.write});
    }
  }
}

std::string text_of(const std::vector<Record>& records) {
  std::string text;
  std::int64_t last = 0;
  for (const Record& record : records) {
    text += std::to_string(record.at - last - 1) + " " + std::to_string(record.address);
    text += record.write == 0 ? "\n" : " " + std::to_string(record.write) + "\n";
    last = record.at;
  }
  return text;
}

Bench bench_of(const std::string& trace, const Assignments& more) {
  Bench bench{"llc_trace", {{"path", "t"}, {"format", "ramulator"}}, trace};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  bench.latency = [](const Request& request) {
    return Tick(static_cast<std::int64_t>(
        mix64(static_cast<std::uint64_t>(request.address.value())) % 200'000));
  };
  return bench;
}

void expect_same_run(const Bench& one, const Bench& other) {
  AgentUnderTest a(one);
  AgentUnderTest b(other);
  ASSERT_TRUE(a.finish());
  ASSERT_TRUE(b.finish());
  EXPECT_EQ(a.agent->progress(a.kernel.now()), b.agent->progress(b.kernel.now()));
  EXPECT_EQ(a.kernel.now(), b.kernel.now());
  EXPECT_TRUE(a.port.log == b.port.log);
}

TEST(TraceParts, SkipWindowsAndLoopsEqualTracesCutToThem) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Record> records = records_of(random, 400);
    const std::string whole = text_of(records);
    const std::int64_t length = records.back().at;

    const std::int64_t skip = 1'000 + static_cast<std::int64_t>(random.below(2'000));
    const std::int64_t limit = 3'000;
    std::vector<Record> cut;
    append(cut, records, 0, skip, length);
    expect_same_run(bench_of(whole, {{"skip", std::to_string(skip)}, {"instructions", "3000"}}),
                    bench_of(text_of(cut), {{"instructions", "3000"}}));

    std::vector<Record> twice = cut;
    append(twice, records, length - skip, skip, length);
    expect_same_run(bench_of(whole, {{"skip", std::to_string(skip)}, {"loop", "2"}}),
                    bench_of(text_of(twice), {}));

    // The windows may overlap, and the later one may come first.
    const std::int64_t second = static_cast<std::int64_t>(random.below(500));
    std::string windows = "skip=" + std::to_string(skip) + ", instructions=3000; ";
    windows += "skip=" + std::to_string(second) + ", warmup=500, instructions=1500, weight=2";
    std::vector<Record> both;
    for (const std::int64_t start : {std::int64_t{0}, limit + 2'000}) {
      append(both, records, start, skip, limit);
      append(both, records, start + limit, second, 2'000);
    }
    both.push_back({20'000, 64, 0});  // beyond the limit: the instructions before it count
    expect_same_run(bench_of(whole, {{"windows", windows}, {"loop", "2"}}),
                    bench_of(text_of(both), {{"instructions", "10000"}}));
  }
}

TEST(TraceParts, WindowsAreMeasuredSeparatelyAndWeighted) {
  // 1,000 plain instructions, 4 per cycle. Then 100 loads, each dependent on the previous one: the
  // first comes from memory, 235 cycles, the others from L1, 5 cycles.
  std::string trace;
  for (int i = 0; i < 1'000; ++i) {
    trace += champsim_record(Instruction());
  }
  Instruction load;
  load.loads[0] = 4'096;
  load.sources[0] = load.destinations[0] = 1;
  for (int i = 0; i < 100; ++i) {
    trace += champsim_record(load);
  }
  Bench bench{"cpu_trace",
              {{"path", "t"},
               {"format", "champsim"},
               {"windows",
                "skip=100, warmup=50, instructions=400, weight=3;"
                "skip=1000, warmup=20, instructions=60"}},
              trace};
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 530);
  EXPECT_EQ(statistics_of(*test.agent).at("core.0.window.0.ipc"), 4);
  EXPECT_EQ(statistics_of(*test.agent).at("core.0.window.1.ipc"), 0.2);
  EXPECT_DOUBLE_EQ(test.agent->weighted_rate(), 4 / (3 * 0.25 + 1 * 5.0));
  const double weighted = test.agent->weighted_rate();
  test.kernel.run_until(test.kernel.now() * 4);  // started over
  EXPECT_EQ(test.agent->weighted_rate(), weighted);
}

TEST(TraceParts, ContinueFromACheckpoint) {
  Random random(2);
  Bench bench = bench_of(
      text_of(records_of(random, 400)),
      {{"windows", "skip=700, warmup=300, instructions=3000; skip=10, instructions=900, weight=5"},
       {"loop", "3"},
       {"dependence", "0.4"}});
  expect_exact_resume(bench, {2, 3, 5});
}

std::string message_of(const Assignments& keys, const std::string& trace = "5 64\n5 128\n") {
  return error_from([&] {
    AgentUnderTest test(bench_of(trace, keys));
    test.finish(1'000);
  });
}

TEST(TraceParts, ReportErrors) {
  const auto windows = [](const std::string& text) { return message_of({{"windows", text}}); };
  EXPECT_EQ(windows("instructions=12"), "");
  EXPECT_TRUE(names(windows("instructions=13"), {"agent.0.windows: window 0", "trace"}));
  EXPECT_TRUE(names(windows("instructions=3; skip=40, instructions=3"),
                    {"agent.0.windows: window 1", "trace"}));
  EXPECT_TRUE(names(windows("skip=3"), {"windows: window 0: instructions: "}));
  EXPECT_TRUE(names(windows("instructions=3; length=4"),
                    {"windows: window 1: ", "'length'", "instructions"}));
  EXPECT_TRUE(
      names(windows("instructions=-3"), {"windows: window 0: instructions: ", "'-3'", "2^48"}));
  EXPECT_TRUE(names(windows("instructions=3, weight=0"), {"windows: window 0: weight: ", "'0'"}));
  EXPECT_TRUE(
      names(windows("instructions=3, weight=nan"), {"windows: window 0: weight: ", "'nan'"}));
  EXPECT_NE(windows(";;"), "");
  for (const char* key : {"skip", "instructions"}) {
    const std::string error = message_of({{"windows", "instructions=3"}, {key, "3"}});
    EXPECT_EQ(error.rfind(std::string(key) + ": ", 0), 0u) << error;
  }
  EXPECT_TRUE(names(message_of({{"skip", "40"}}), {"agent.0.skip: ", "40"}));
  EXPECT_TRUE(names(message_of({{"windows", "instructions=3"}, {"loop", "9"}}),
                    {"agent.0.loop: ", "windows"}));
  EXPECT_TRUE(names(message_of({{"copy_number", "1"}}), {"copy_number: ", "copies"}));
}

TEST(TraceParts, CopiesHaveEqualPartsOfTheMemories) {
  constexpr std::uint64_t kNvdimm = std::uint64_t{1} << 39;
  for (const std::int64_t copy : {0, 1, 2}) {
    Bench bench{"llc_trace",
                {{"path", "t"},
                 {"format", "hmsim"},
                 {"copies", "3"},
                 {"copy_number", std::to_string(copy)}},
                hmsim_trace({hmsim_record(kNvdimm + 5, 0, 0, 1), hmsim_record(7, 0, 0, 1)}, 1, 2)};
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    const auto part = [copy](std::int64_t capacity) { return capacity / 4'096 / 3 * 4'096 * copy; };
    EXPECT_EQ(test.port.log[0].address, 5 * 64 + part(bench.nvdimm.value()));
    EXPECT_EQ(test.port.log[1].address, 7 * 64 + part(bench.dram.value()));
  }
}

TEST(TraceParts, LoadsDependOnTheLoadBeforeWithTheGivenProbability) {
  std::string trace;
  constexpr int kLoads = 200;
  for (int i = 0; i < kLoads; ++i) {
    trace += "3 " + std::to_string(64 * i) + "\n";
  }
  Random random(1, 0);  // the run's seed, the agent's number
  std::int64_t chain = 0;
  for (const double dependence : {0.0, 0.5, 1.0}) {
    Bench bench = bench_of(trace, {{"dependence", std::to_string(dependence)}, {"window", "1000"}});
    bench.latency = fixed(100 * kNanosecond);
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    // Returns the longest chain of dependent loads, which cannot overlap.
    Random drawn(1, 0);
    std::int64_t depth = 0;
    std::int64_t deepest = 0;
    for (int i = 0; i < kLoads; ++i) {
      const bool dependent =
          dependence != 0 && drawn.chance(DependentMisses::chance_of(dependence));
      depth = dependent && i > 0 ? depth + 1 : 1;
      deepest = std::max(deepest, depth);
    }
    const Tick took = test.kernel.now();
    EXPECT_GE(took, 100 * kNanosecond * deepest);
    EXPECT_LE(took, 100 * kNanosecond * deepest + Tick(kLoads * 500 + 500));
    EXPECT_GT(deepest, chain);
    chain = deepest;
  }
  EXPECT_EQ(chain, kLoads);
}

// Returns records of non-temporal writes (kind 2).
std::string copies_of(const std::vector<std::uint64_t>& lines, bool nvdimm = true) {
  std::vector<std::uint64_t> records;
  for (const std::uint64_t line : lines) {
    records.push_back(hmsim_record((nvdimm ? std::uint64_t{1} << 39 : 0) + line, 2, 0, 1));
  }
  records.push_back(hmsim_record(1 << 20, 0, 0, 1));  // a load of DRAM
  return hmsim_trace(records, 1, 2);
}

std::vector<Tick> times_of(const std::string& trace, const char* fences,
                           Persistence persistence = Persistence::controller) {
  Bench bench{"llc_trace", {{"path", "t"}, {"format", "hmsim"}, {"nt_fence", fences}}, trace};
  bench.slots = 1;  // the controller accepts one request per 100 ns
  bench.frontend.node.persistence = persistence;
  AgentUnderTest test(bench);
  EXPECT_TRUE(test.finish());
  std::vector<Tick> times;
  for (const Sent& sent : test.port.log) {
    times.push_back(sent.time);
  }
  return times;
}

TEST(TraceParts, FencesWaitForTheWritesOfAPage) {
  const Tick slot{125};
  // The last two lines of a page, the first of the next, a load. The fence after line 63 waits for
  // its acceptance at 100 ns; later accesses wait for no fence.
  const std::string across = copies_of({62, 63, 64});
  EXPECT_EQ(times_of(across, "none"), (std::vector<Tick>{slot * 0, slot, slot * 2, slot * 3}));
  const Tick accepted = 100 * kNanosecond;
  EXPECT_EQ(times_of(across, "page"),
            (std::vector<Tick>{slot * 0, slot, accepted, accepted + slot}));
  // After the last line of a page, loads wait as well.
  EXPECT_EQ(times_of(copies_of({62, 63}), "page"), (std::vector<Tick>{slot * 0, slot, accepted}));
  // A run that leaves its page before the last line is fenced before the next write.
  EXPECT_EQ(times_of(copies_of({5, 6, 200}), "page"),
            (std::vector<Tick>{slot * 0, slot, accepted, accepted + slot}));
  EXPECT_EQ(times_of(copies_of({5, 6, 5}), "page"),
            (std::vector<Tick>{slot * 0, slot, slot * 2, slot * 3}));
}

// If the controller's queue is not safe, a fence waits until NVDIMM lines are done. DRAM lines
// never survive, so for them acceptance is enough to fix the order.
TEST(TraceParts, FencesWaitNoLongerForDramThanForItsOrder) {
  const Tick slot{125};
  const Tick accepted = 100 * kNanosecond;
  const Tick done = 200 * kNanosecond;
  for (const bool nvdimm : {true, false}) {
    EXPECT_EQ(times_of(copies_of({62, 63}, nvdimm), "page", Persistence::module),
              (std::vector<Tick>{slot * 0, slot, nvdimm ? done : accepted}));
  }
}

}  // namespace
}  // namespace hmsim::testing
