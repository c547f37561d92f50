// SPDX-License-Identifier: BSD-3-Clause
// Does the core dispatch, retire and finish exactly like a model of every instruction?
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "agents/core/agent_synthetic_core.h"
#include "core/clock.h"
#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

struct Load {
  std::uint64_t address;
  bool dependent;
};

struct Core {
  std::int64_t frequency = 2'000'000'000;
  std::int64_t width = 4;
  std::int64_t window = 128;
  std::int64_t mshrs = 0;  // 0 or 1: only a single one is easy to model
  double base_cpi = 0;     // 0: 1 / width

  double slots_per_cycle() const {
    return base_cpi == 0 ? static_cast<double>(width) : 1 / base_cpi;
  }
  RateClock slots() const {
    return RateClock(std::llround(static_cast<double>(frequency / 1'000) * slots_per_cycle()));
  }
};

Tick latency_of(std::uint64_t address) {
  // Some complete within a cycle.
  const std::uint64_t hash = mix64(address);
  return Tick(static_cast<std::int64_t>((hash >> 8) % (hash % 4 == 0 ? 800 : 300'000)));
}

FakePort::Latency random_latency() {
  return [](const Request& request) {
    return latency_of(static_cast<std::uint64_t>(request.address.value()));
  };
}

// The oracle: one entry per instruction, directly from the definition.
struct EveryInstruction {
  std::vector<Tick> sent;
  std::vector<std::int64_t> retire;  // slot, by instruction from 1
  Tick finish{0};

  EveryInstruction(const Core& core, const std::map<std::int64_t, Load>& loads, std::int64_t count)
      : retire(static_cast<std::size_t>(count) + 1) {
    const RateClock clock = core.slots();
    std::vector<std::int64_t> dispatch(retire.size());
    dispatch[0] = -1;
    retire[0] = -1;
    std::int64_t ready_before = 0;
    std::int64_t free_from = 0;
    for (std::int64_t i = 1; i <= count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      dispatch[at] = dispatch[at - 1] + 1;
      if (i > core.window) {
        dispatch[at] =
            std::max(dispatch[at], retire[static_cast<std::size_t>(i - core.window)] + 1);
      }
      std::int64_t ready =
          dispatch[at] + static_cast<std::int64_t>(std::ceil(core.slots_per_cycle()));
      if (const auto load = loads.find(i); load != loads.end()) {
        std::int64_t issue = dispatch[at];
        issue = load->second.dependent ? std::max(issue, ready_before) : issue;
        issue = core.mshrs == 1 ? std::max(issue, free_from) : issue;
        sent.push_back(clock.tick(issue));
        const Tick done = clock.tick(issue) + latency_of(load->second.address);
        free_from = clock.edge_at_or_after(done);
        ready = std::max(ready, free_from);
        ready_before = ready;
      }
      retire[at] = std::max(retire[at - 1] + 1, ready);
    }
    finish = clock.tick(retire.back());
  }
};

void expect_equal(AgentUnderTest& test, const EveryInstruction& oracle, const Core& core,
                  std::int64_t count) {
  const RateClock clock = core.slots();
  Random random(7);
  std::int64_t retired = 0;
  while (!test.agent->finished_once()) {
    ASSERT_TRUE(test.kernel.step(kNever));
    const Tick now = test.kernel.now();
    while (retired < count &&
           clock.tick(oracle.retire[static_cast<std::size_t>(retired + 1)]) <= now) {
      ++retired;
    }
    if (test.kernel.next_event() > now) {  // all events at this time are done
      ASSERT_EQ(test.agent->progress(now), retired) << "at " << now.value() << " ps";
    }
  }
  std::vector<Tick> loads;
  for (const Sent& sent : test.port.log) {
    if (!sent.write) {
      loads.push_back(sent.time);
    }
  }
  std::sort(loads.begin(), loads.end());
  std::vector<Tick> wanted = oracle.sent;
  std::sort(wanted.begin(), wanted.end());
  ASSERT_EQ(loads.size(), wanted.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    ASSERT_EQ(loads[i].value(), wanted[i].value()) << "load " << i;
  }
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()).value(), oracle.finish.value());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), count);
}

Assignments core_keys(const Core& core) {
  return {{"frequency", std::to_string(core.frequency) + "Hz"},
          {"width", std::to_string(core.width)},
          {"window", std::to_string(core.window)},
          {"base_cpi", std::to_string(core.base_cpi)},
          {"mshrs", core.mshrs == 0 ? "window" : std::to_string(core.mshrs)}};
}

// Returns the loads of a trace of independent loads, by instruction. Gaps are up to `most`.
std::map<std::int64_t, Load> random_trace(Random& random, int loads, std::uint64_t most,
                                          std::string& text) {
  std::map<std::int64_t, Load> placed;
  std::int64_t instruction = 0;
  for (int i = 0; i < loads; ++i) {
    const std::uint64_t others = random.below(4) == 0 ? random.below(most) : random.below(8);
    const std::uint64_t address = 64 * (random.below(1 << 20) + 1);
    instruction += static_cast<std::int64_t>(others) + 1;
    placed[instruction] = {address, false};
    text += std::to_string(others) + " " + std::to_string(address);
    text += random.below(3) == 0 ? " " + std::to_string(address + (1 << 28)) + "\n" : "\n";
  }
  return placed;
}

TEST(CoreAgent, MatchesAModelOfEveryInstruction) {
  const std::vector<Core> cores{{2'000'000'000, 4, 128, 0},       {2'000'000'000, 4, 5, 0},
                                {3'000'000'000, 1, 2, 0},         {3'700'001'000, 8, 224, 0},
                                {2'000'000'000, 4, 128, 1},       {1'000'000'000, 2, 16, 1},
                                {2'000'000'000, 4, 128, 0, 0.73}, {2'000'000'000, 4, 5, 1, 1.5},
                                {2'400'000'000, 4, 128, 0, 0.25}, {2'000'000'000, 4, 6, 0}};
  for (std::size_t c = 0; c < cores.size(); ++c) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE("core " + std::to_string(c) + ", seed " + std::to_string(seed));
      Random random(seed, c);
      Bench bench{"llc_trace", core_keys(cores[c])};
      const std::map<std::int64_t, Load> loads =
          random_trace(random, 300, seed % 2 == 0 ? 50 : 2'000, bench.trace);
      const std::int64_t whole = loads.rbegin()->first;
      const std::int64_t count =
          seed % 3 == 0 ? whole - static_cast<std::int64_t>(random.below(50)) : whole;
      bench.keys.insert(
          bench.keys.end(),
          {{"path", "t"}, {"format", "ramulator"}, {"instructions", std::to_string(count)}});
      bench.latency = random_latency();
      AgentUnderTest test(bench);
      std::map<std::int64_t, Load> within(loads.begin(), loads.upper_bound(count));
      expect_equal(test, EveryInstruction(cores[c], within, count), cores[c], count);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST(CoreAgent, DependentLoadsWaitForTheLoadBefore) {
  const Core core;
  for (const char* dependence : {"0", "0.3", "1"}) {
    SCOPED_TRACE(dependence);
    Bench bench{"synthetic_core", core_keys(core)};
    bench.latency = random_latency();
    bench.keys.insert(bench.keys.end(), {{"pattern", "pointer_chase"},
                                         {"rpki", "40.58"},
                                         {"wpki", "15.42"},
                                         {"footprint", "256MiB"},
                                         {"dependence", dependence},
                                         {"instructions", "50000"}});
    SyntheticMisses::Settings settings;
    settings.reads = 40'580;
    settings.writes = 15'420;
    settings.pattern = MissPattern::pointer_chase;
    settings.lines = std::uint64_t{256} << 14;
    settings.dependence = static_cast<std::uint64_t>(std::stod(dependence) * 4294967296.0);
    SyntheticMisses misses(settings);
    std::map<std::int64_t, Load> loads;
    Miss miss;
    for (std::int64_t at = 0; misses.next(miss) && at + miss.gap <= 50'000;) {
      at += miss.gap;
      if (miss.load) {
        loads[at] = {miss.load_address, miss.dependent};
      }
    }
    EXPECT_EQ(loads.size(), 2'029u);
    AgentUnderTest test(bench);
    expect_equal(test, EveryInstruction(core, loads, 50'000), core, 50'000);
  }
}

TEST(CoreAgent, AtMostAWindowOfWritesWaitsOutside) {
  Bench bench{"synthetic_core",
              {{"rpki", "0"}, {"wpki", "1000"}, {"instructions", "20000"}, {"window", "32"}}};
  bench.slots = 4;
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.port.most_outside, 32u);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 20'000);
  // Four writes per 100 ns limit the core, not its width.
  EXPECT_NEAR(static_cast<double>(test.kernel.now().value()), 20'000.0 / 4 * 100'000, 1e6);
}

TEST(CoreAgent, RunsTheRecordsOfHmsimTraces) {
  const std::string trace = hmsim_trace({hmsim_record(1, 0, 0, 0),   // a fill at instruction 1
                                         hmsim_record(2, 1, 0, 0),   // its write-back
                                         hmsim_record(3, 0, 1, 0),   // counts as instruction 2
                                         hmsim_record(4, 2, 0, 8),   // at 10
                                         hmsim_record(90, 3, 0, 0),  // 90 instructions more
                                         hmsim_record(5, 0, 0, 10),  // at 110
                                         hmsim_record(900, 3, 1, 0)});
  Bench bench{"llc_trace", {{"path", "t"}, {"format", "hmsim"}}, trace};
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const std::vector<Sent> wanted{{Tick(0), MemoryClass::dram, 64, false},
                                 {Tick(0), MemoryClass::dram, 128, true},
                                 {Tick(125), MemoryClass::dram, 192, false},
                                 {Tick(9 * 125), MemoryClass::dram, 256, true},
                                 {Tick(109 * 125), MemoryClass::dram, 320, false}};
  EXPECT_TRUE(test.port.log == wanted);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 1'010);

  bench.keys.emplace_back("vcpu", "1");
  AgentUnderTest one(bench);
  ASSERT_TRUE(one.finish());
  EXPECT_EQ(one.port.log.size(), 1u);
  EXPECT_EQ(one.agent->progress(one.kernel.now()), 901);
}

TEST(CoreAgent, RunsTracesOfTwoMemories) {
  constexpr std::uint64_t kNvdimm = std::uint64_t{1} << 39;
  const std::string trace =
      hmsim_trace({hmsim_record(kNvdimm + 1, 0, 0, 1), hmsim_record(2, 1, 0, 0),
                   hmsim_record(kNvdimm + 3, 2, 0, 1),
                   hmsim_record(kNvdimm + (std::uint64_t{1} << 29) + 4, 0, 0, 200)},
                  1, 2);
  Bench bench{"llc_trace", {{"path", "t"}, {"format", "hmsim"}}, trace};
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  // The load 201 instructions after the first one finds the window of 128 full for 100 ns.
  const Tick last = test.port.log.back().time;
  const std::vector<Sent> wanted{{Tick(0), MemoryClass::nvdimm, 64, false},
                                 {Tick(0), MemoryClass::dram, 128, true},
                                 {Tick(125), MemoryClass::nvdimm, 192, true},
                                 {last, MemoryClass::nvdimm, 256, false}};  // modulo 32 GiB
  EXPECT_TRUE(test.port.log == wanted);
  EXPECT_GE(last, 100 * kNanosecond);

  bench.nvdimm = Bytes(0);
  EXPECT_THROW(AgentUnderTest{bench}, InputError);
}

TEST(CoreAgent, StartsOverAndKeepsItsFirstFinish) {
  Bench bench{"llc_trace", {{"path", "t"}, {"format", "ramulator"}}, "3 64\n5 128\n"};
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  const Tick first = test.agent->measured_time(test.kernel.now());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 10);
  test.kernel.run_until(first * 10);
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()), first);
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 10);
  EXPECT_GE(test.agent->work(test.kernel.now()), 80);
  EXPECT_GE(test.port.log.size(), 18u);
}

TEST(CoreAgent, LimitsCountFromTheStartOfMeasuring) {
  Bench bench{"synthetic_core", {{"rpki", "20"}, {"wpki", "5"}, {"instructions", "10000"}}};
  AgentUnderTest test(bench);
  test.kernel.run_until(3 * kMicrosecond);
  const std::int64_t before = test.agent->work(test.kernel.now());
  EXPECT_GT(before, 100);
  EXPECT_LT(before, 10'000);
  test.agent->begin_measuring(test.kernel.now());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 0);
  ASSERT_TRUE(test.finish());
  EXPECT_EQ(test.agent->progress(test.kernel.now()), 10'000);
  EXPECT_EQ(test.agent->measured_time(test.kernel.now()), test.kernel.now() - 3 * kMicrosecond);
}

TEST(CoreAgent, ChecksItsWindow) {
  EXPECT_THROW(make_agent_of("synthetic_core", {{"window", "4"}, {"width", "4"}}), InputError);
  EXPECT_THROW(make_agent_of("synthetic_core", {{"frequency", "1.5Hz"}}), InputError);
  EXPECT_THROW(make_agent_of("llc_trace", {{"path", "t"}}), InputError);
  EXPECT_THROW(make_agent_of("llc_trace", {{"path", "t"}, {"format", "mqsim"}}), InputError);
  EXPECT_THROW(make_agent_of("llc_trace", {{"path", "t"}, {"format", "ramulator"}, {"vcpu", "1"}}),
               InputError);
}

}  // namespace
}  // namespace hmsim::testing
