// SPDX-License-Identifier: BSD-3-Clause
// Does a core with caches behave exactly like a model that advances slot by slot?
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/instruction_model.h"
#include "tests/cc/agents/programs.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

void expect_equal(const Bench& bench, const InstructionModel& model, const CoreShape& shape) {
  const RateClock clock(shape.frequency / 1'000 * shape.width);
  AgentUnderTest test(bench);
  std::size_t retired = 0;
  while (!test.agent->finished_once()) {
    ASSERT_TRUE(test.kernel.step(kNever));
    const Tick now = test.kernel.now();
    while (retired < model.retire.size() && clock.tick(model.retire[retired]) <= now) {
      ++retired;
    }
    if (test.kernel.next_event() > now) {
      ASSERT_EQ(test.agent->progress(now), retired) << "at " << now.value() << " ps";
    }
  }
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()), model.finish);
  std::vector<Sent> log;
  for (const Sent& sent : test.port.log) {
    if (sent.time <= model.finish) {
      log.push_back(sent);
    }
  }
  std::size_t wanted = 0;
  while (wanted < model.sent.size() && model.sent[wanted].time <= model.finish) {
    ++wanted;
  }
  const auto order = [](const Sent& a, const Sent& b) {
    return std::make_tuple(a.time, a.write, a.address) <
           std::make_tuple(b.time, b.write, b.address);
  };
  std::vector<Sent> expected(model.sent.begin(), model.sent.begin() + wanted);
  std::sort(expected.begin(), expected.end(), order);
  std::sort(log.begin(), log.end(), order);
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    ASSERT_TRUE(log[i] == expected[i]) << "request " << i << " at " << log[i].time.value();
  }
  const std::map<std::string, double> statistics = statistics_of(*test.agent);
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    const std::string level = "core.0.l" + std::to_string(i + 1);
    EXPECT_EQ(statistics.at(level + ".hits"), model.caches().hits[i]);
    EXPECT_EQ(statistics.at(level + ".misses"), model.caches().misses[i]);
    EXPECT_EQ(statistics.at(level + ".write_backs"),
              i < 2 ? model.caches().left_dirty[i] : model.caches().of_l3().left_dirty);
  }
  EXPECT_GE(statistics.at("core.0.l1.merges"), model.merges);
  EXPECT_LE(statistics.at("core.0.l1.merges"), model.merges + model.merges_at_finish);
}

TEST(CpuCore, MatchesAModelOfEverySlot) {
  const std::vector<CoreShape> shapes{{2'000'000'000, 4, 128},
                                      {2'000'000'000, 4, 9},
                                      {3'000'000'000, 1, 16},
                                      {3'700'001'000, 6, 224}};
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      // With a limit on MSHRs, waiting is in the order of requests, which the model knows only for
      // programs without chains.
      const bool chained = seed % 2 == 0;
      const CacheParameters caches =
          small_caches(chained ? 4'096 : static_cast<std::int64_t>(1 + seed / 2));
      SCOPED_TRACE("shape " + std::to_string(s) + ", seed " + std::to_string(seed));
      Random random(seed, s);
      const std::vector<Instruction> program = random_program(random, 250, chained);
      const InstructionModel model(shapes[s], caches, program, latency_of);
      Bench bench{"cpu_trace", keys_of(shapes[s], caches), text_of(program)};
      bench.latency = memory_latency();
      expect_equal(bench, model, shapes[s]);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

// A lookup in L1 takes 2.5 ns, in L2 5 ns more, in L3 10 ns more; memory takes 100 ns.
constexpr Tick kFromMemory{117'500};
constexpr Tick kFromL1{2'500};
constexpr Tick kCycle{500};

Tick time_of(const std::vector<Instruction>& program, const Assignments& more = {}) {
  Bench bench{"cpu_trace", {{"path", "t"}, {"format", "champsim"}}, text_of(program)};
  bench.keys.insert(bench.keys.end(), more.begin(), more.end());
  AgentUnderTest test(bench);
  EXPECT_TRUE(test.finish());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), program.size());
  return test.agent->measured_time(test.kernel.now());
}

TEST(CpuCore, LatenciesOfTheLevelsAddUp) {
  EXPECT_EQ(time_of({load(64)}), kFromMemory);
  EXPECT_EQ(time_of({load(64), load(64 + 63, 0, 0)}), kFromMemory + kCycle / 4);  // merged
  EXPECT_EQ(time_of({load(64, 1), load(64, 1, 1)}), kFromMemory + kFromL1);
  EXPECT_EQ(time_of({load(64), load(128), load(192)}), kFromMemory + kCycle / 2);  // in parallel
  EXPECT_EQ(time_of({plain(), plain()}), kCycle + kCycle / 4);
}

TEST(CpuCore, ALoadWaitsForTheLoadsOfItsAddress) {
  EXPECT_EQ(time_of({load(64, 1), load(128, 2, 1), load(192, 3, 2)}), kFromMemory * 3);
  // The address comes through another instruction, which adds a cycle.
  EXPECT_EQ(time_of({load(64, 1), plain(2, 1), load(128, 3, 2)}), kFromMemory * 2 + kCycle);
  // A register that was overwritten is not waited for.
  EXPECT_EQ(time_of({load(64, 1), plain(1), load(128, 2, 1)}), kFromMemory + kCycle + kCycle / 4);
  // The later of two producers counts.
  Instruction both = load(192, 4, 2);
  both.sources[1] = 1;
  EXPECT_EQ(time_of({load(64, 1), load(128, 2, 1), both}), kFromMemory * 3);
}

TEST(CpuCore, PrefetchesAreBoundByTheMshrs) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed, 9);
    std::vector<Instruction> program = random_program(random, 1'500, seed % 2 == 0);
    for (std::size_t i = 0; i < program.size(); i += 3) {
      program[i] = load(1 << 20 | i * 24);  // a stream
    }
    const auto mshrs = static_cast<std::int64_t>(1 + seed);
    Bench bench{"cpu_trace", keys_of({}, small_caches(mshrs)), text_of(program)};
    bench.keys.emplace_back("prefetcher", "stride");
    bench.latency = memory_latency();
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    EXPECT_GT(statistics_of(*test.agent).at("core.0.l2.prefetches_useful"), 50);
    std::vector<std::pair<Tick, int>> changes;  // of the reads in flight
    for (const Sent& sent : test.port.log) {
      if (!sent.write) {
        changes.emplace_back(sent.time, 1);
        changes.emplace_back(sent.time + latency_of(static_cast<std::uint64_t>(sent.address)), -1);
      }
    }
    std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
      return a.first < b.first || (a.first == b.first && a.second < b.second);
    });
    std::int64_t in_flight = 0;
    std::int64_t most = 0;
    for (const auto& [time, change] : changes) {
      in_flight += change;
      most = std::max(most, in_flight);
    }
    EXPECT_EQ(most, mshrs);
  }
}

std::vector<Instruction> chase(std::uint64_t lines) {
  std::vector<Instruction> program;
  for (std::uint64_t i = 0; i < lines; ++i) {
    program.push_back(load(4'096 + 64 * i, 1, 1));
  }
  return program;
}

TEST(CpuCore, ThePrefetcherFetchesAheadOfUse) {
  const Assignments on{{"prefetcher", "stride"}};
  // The third load follows the stride: the next three lines are fetched together with its own, into
  // L2.
  EXPECT_EQ(time_of(chase(3), on), kFromMemory * 3);
  EXPECT_EQ(time_of(chase(4), on), kFromMemory * 3 + Tick(7'500));
  EXPECT_EQ(time_of(chase(6), on), kFromMemory * 3 + Tick(3 * 7'500));
  // The seventh was requested when the fourth started.
  EXPECT_EQ(time_of(chase(7), on), kFromMemory * 4);
  Bench bench{"cpu_trace", {{"path", "t"}, {"format", "champsim"}}, text_of(chase(64))};
  bench.keys.insert(bench.keys.end(), on.begin(), on.end());
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.port.log.size(), 64u);  // no line twice, none beyond the page
  const std::map<std::string, double> statistics = statistics_of(*test.agent);
  EXPECT_EQ(statistics.at("core.0.l2.prefetches"), 61);
  EXPECT_EQ(statistics.at("core.0.l2.prefetches_useful"), 61);
  EXPECT_EQ(statistics.at("core.0.l2.prefetch_accuracy"), 1);
  EXPECT_EQ(statistics.at("core.0.l2.prefetch_coverage"), 61.0 / 64);
  EXPECT_EQ(statistics.at("core.0.l1.misses"), 64);
  EXPECT_EQ(statistics.at("core.0.l2.misses"), 3);
}

TEST(CpuCore, ALoadMayOvertakeItsOwnPrefetch) {
  // Independent loads find the prefetched lines still in flight and request none again.
  std::vector<Instruction> program;
  for (std::uint64_t i = 0; i < 64; ++i) {
    program.push_back(load(4'096 + 64 * i));
  }
  for (const char* mshrs : {"2", "32"}) {
    Bench bench{
        "cpu_trace",
        {{"path", "t"}, {"format", "champsim"}, {"prefetcher", "stride"}, {"l2.mshrs", mshrs}},
        text_of(program)};
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(test.port.log.size(), 64u);
    EXPECT_GT(statistics_of(*test.agent).at("core.0.l2.merges"), 10);
  }
}

TEST(CpuCore, StartsOverWithWarmCaches) {
  Bench bench{"cpu_trace", {{"path", "t"}, {"format", "champsim"}}, text_of(chase(10))};
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const Tick first = test.agent->measured_time(test.kernel.now());
  test.kernel.run_until(first * 3);
  EXPECT_EQ(test.port.log.size(), 10u);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 10);
  EXPECT_GT(test.agent->work(test.kernel.now()), 20);
}

TEST(CpuCore, ContinuesExactlyFromACheckpoint) {
  Random random(3);
  const std::vector<Instruction> program = random_program(random, 3'000, true);
  Bench bench{"cpu_trace", keys_of({}, small_caches(3)), text_of(program)};
  bench.keys.emplace_back("prefetcher", "stride");
  bench.latency = memory_latency();
  bench.slots = 6;
  expect_exact_resume(bench, {2, 3, 7});
}

TEST(CpuCore, RejectsInvalidTraces) {
  const auto run = [](const std::string& trace) {
    AgentUnderTest test(Bench{"cpu_trace", {{"path", "t.xz"}, {"format", "champsim"}}, trace});
    test.finish();
  };
  const auto message = [&run](const std::string& trace) -> std::string {
    return error_from([&] { run(trace); });
  };
  const std::string whole = champsim_record(load(64));
  EXPECT_EQ(message(whole), "");
  EXPECT_TRUE(names(message(""), {"t.xz:", "instructions"}));
  EXPECT_TRUE(names(message(whole + whole.substr(0, 20)), {"t.xz: record 2:", "20", "64 bytes"}));
  EXPECT_TRUE(names(message(whole + std::string(64, 'x')),
                    {"t.xz: record 2:", "ChampSim", "bytes 8 and 9", "120"}));
  EXPECT_THROW(make_agent_of("cpu_trace", {{"path", "t"}}), InputError);
  EXPECT_THROW(
      make_agent_of("cpu_trace", {{"path", "t"}, {"format", "champsim"}, {"l1.size", "33KiB"}}),
      InputError);
  EXPECT_THROW(make_agent_of("cpu_trace", {{"path", "t"}, {"format", "champsim"}, {"mshrs", "4"}}),
               InputError);
}

TEST(CpuCore, RunsAnyRecord) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    std::string trace;
    for (int i = 0; i < 1'500; ++i) {
      std::string record;
      for (int word = 0; word < 8; ++word) {
        // Few addresses and registers, or any.
        const bool few = random.below(2) == 0;
        record += little_endian(random.next() & (few ? 0x303030303030303 : ~std::uint64_t{0}), 8);
      }
      record[8] = static_cast<char>(random.below(2));
      record[9] = static_cast<char>(random.below(2));
      trace += record;
    }
    Bench bench{"cpu_trace", keys_of({2'000'000'000, 4, 16}, small_caches(2)), trace};
    bench.keys.emplace_back("prefetcher", "stride");
    bench.translation = TranslationKind::first_touch;
    bench.slots = 3;
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    EXPECT_EQ(test.agent->progress(test.kernel.now()), 1'500);
  }
}

TEST(CpuCore, UpdatesOfTheStackPointerDoNotWaitForData) {
  // Pops write and read the stack pointer (6); this must not make others wait for their data.
  std::vector<Instruction> pops;
  for (std::uint64_t i = 1; i <= 8; ++i) {
    Instruction pop = load(64 * i, 1, 6);
    pop.destinations[1] = 6;
    pops.push_back(pop);
  }
  EXPECT_LT(time_of(pops), kFromMemory + kCycle * 3);
  // A stack pointer computed from a register is waited for.
  Instruction moved = plain(6, 1);
  EXPECT_EQ(time_of({load(64, 1), moved, load(128, 2, 6)}), kFromMemory * 2 + kCycle);
  // The instruction pointer (26) is never waited for.
  EXPECT_EQ(time_of({load(64, 26), load(128, 1, 26)}), kFromMemory + kCycle / 4);
}

}  // namespace
}  // namespace hmsim::testing
