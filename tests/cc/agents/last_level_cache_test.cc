// SPDX-License-Identifier: BSD-3-Clause
// Do cores that share an L3 behave exactly like a model that advances slot by slot?
#include "agents/cache/last_level_cache.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/instruction_model.h"
#include "tests/cc/agents/programs.h"
#include "tests/cc/assignments.h"
#include "tests/cc/names.h"
#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

using Program = std::vector<Instruction>;

struct Machine {
  CoreShape shape = {};
  CacheParameters caches = {};
  std::vector<Program> programs;
  bool one_space = false;
  FakePort::Latency latency = memory_latency();
  Assignments more = {};
};

class CoresUnderTest : public testing::Saved<CoresUnderTest> {
 public:
  explicit CoresUnderTest(const Machine& machine, const std::string& sharing = "shared")
      : port(1'000'000, machine.latency),
        translation(TranslationKind::modulo, Bytes(std::int64_t{1} << 31), 1),
        l3(machine.caches.levels[2]) {
    std::vector<Requester*> requesters;
    std::vector<Wakeup> wakeups;
    std::vector<std::string> texts;
    FrontendParameters defaults;
    defaults.cache.levels[2] = machine.caches.levels[2];
    for (std::size_t i = 0; i < machine.programs.size(); ++i) {
      Assignments keys = keys_of(machine.shape, machine.caches);
      keys.emplace_back("core", std::to_string(i));
      keys.emplace_back("l3.sharing", sharing);
      if (machine.one_space) {
        keys.emplace_back("address_space", "0");
      }
      keys.insert(keys.end(), machine.more.begin(), machine.more.end());
      cores.push_back(make_agent_of("cpu_trace", keys, defaults));
      requesters.push_back(cores.back().get());
      wakeups.emplace_back(kernel, kernel.attach(*cores.back()));
      texts.push_back(text_of(machine.programs[i]));
    }
    port.connect(requesters, Wakeup(kernel, kernel.attach(port)));
    AgentEnvironment environment;
    environment.port = &port;
    environment.translation = &translation;
    environment.shared_l3 = &l3;
    environment.trace = [texts](std::size_t agent, std::uint64_t offset) {
      return offset < texts[agent].size() ? texts[agent].substr(offset) : std::string();
    };
    for (std::size_t i = 0; i < cores.size(); ++i) {
      cores[i]->connect(i, environment, wakeups[i]);
      cores[i]->begin_measuring(Tick(0));
    }
    kernel.notify_all();
  }

  // Runs until one of them, or all, have finished.
  void finish(bool all) {
    const auto done = [](const auto& core) { return core->finished_once(); };
    while (!(all ? std::all_of(cores.begin(), cores.end(), done)
                 : std::any_of(cores.begin(), cores.end(), done))) {
      ASSERT_TRUE(kernel.step(kNever));
    }
  }

  double l3_of(std::size_t core, const std::string& name) const {
    return statistics_of(*cores[core]).at("core.0.l3." + name);
  }
  std::vector<Sent> reads() const {
    std::vector<Sent> all;
    std::copy_if(port.log.begin(), port.log.end(), std::back_inserter(all),
                 [](const Sent& sent) { return !sent.write; });
    return all;
  }

  void serialize(Archive& archive) {
    for (const auto& core : cores) {
      core->serialize(archive);
    }
    translation.serialize(archive);
    l3.serialize(archive);
    port.serialize(archive);
    kernel.serialize(archive);
  }

  Kernel kernel;
  FakePort port;
  Translation translation;
  LastLevelCache l3;
  std::vector<std::unique_ptr<Agent>> cores;
};

std::vector<Sent> sorted_until(std::vector<Sent> log, Tick end) {
  log.erase(
      std::remove_if(log.begin(), log.end(), [end](const Sent& sent) { return sent.time >= end; }),
      log.end());
  std::sort(log.begin(), log.end(), [](const Sent& a, const Sent& b) {
    return std::make_tuple(a.time, a.source, a.write, a.address) <
           std::make_tuple(b.time, b.source, b.write, b.address);
  });
  return log;
}

void expect_as_modelled(const Machine& machine) {
  const auto l3 = std::make_shared<MissModel>(machine.caches.levels[2]);
  std::vector<std::unique_ptr<InstructionModel>> models;
  std::vector<InstructionModel*> cores;
  for (std::size_t i = 0; i < machine.programs.size(); ++i) {
    models.push_back(std::make_unique<InstructionModel>(machine.shape, machine.caches,
                                                        machine.programs[i], latency_of, l3, i,
                                                        machine.one_space ? 0 : i));
    cores.push_back(models.back().get());
  }
  InstructionModel::run(cores);
  CoresUnderTest test(machine);
  test.finish(false);
  const auto capacity = machine.caches.levels[2].size.value() / 64;
  EXPECT_LE(l3->content->lines, static_cast<std::uint64_t>(capacity));
  std::vector<Sent> wanted;
  std::uint64_t merges = 0;
  Tick end = kNever;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    SCOPED_TRACE("core " + std::to_string(i));
    wanted.insert(wanted.end(), cores[i]->sent.begin(), cores[i]->sent.end());
    end = cores[i]->retire.size() == machine.programs[i].size() ? earlier(end, cores[i]->finish)
                                                                : end;
    EXPECT_EQ(test.l3_of(i, "hits"), cores[i]->caches().hits[2]);
    EXPECT_EQ(test.l3_of(i, "misses"), cores[i]->caches().misses[2]);
    EXPECT_EQ(test.l3_of(i, "write_backs"), cores[i]->caches().of_l3().left_dirty);
    EXPECT_EQ(test.l3_of(i, "displaced"), cores[i]->caches().of_l3().displaced);
    EXPECT_EQ(test.l3_of(i, "merges"), cores[i]->l3_merges);
    merges += cores[i]->l3_merges;
  }
  EXPECT_EQ(test.kernel.now(), end);
  const std::vector<Sent> expected = sorted_until(wanted, end);
  const std::vector<Sent> log = sorted_until(test.port.log, end);
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    ASSERT_TRUE(log[i] == expected[i]) << "request " << i << " at " << log[i].time.value();
    ASSERT_EQ(log[i].source, expected[i].source) << "request " << i;
  }
  EXPECT_EQ(merges > 0, machine.one_space);
}

TEST(SharedL3, MatchesAModelOfEverySlot) {
  const std::vector<CoreShape> shapes{{2'000'000'000, 4, 128}, {3'000'000'000, 1, 16}};
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE("shape " + std::to_string(s) + ", seed " + std::to_string(seed));
      const bool chained = seed % 2 == 0;
      Machine machine;
      machine.shape = shapes[s];
      machine.caches = small_caches(chained ? 4'096 : 8);
      if (!chained) {
        machine.caches.levels[2].mshrs = static_cast<std::int64_t>(1 + seed / 2);
      }
      machine.one_space = seed % 4 < 2;
      Random random(seed, s);
      for (std::uint64_t core = 0; core < 2 + seed % 3; ++core) {
        machine.programs.push_back(random_program(random, 250, chained));
      }
      expect_as_modelled(machine);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST(SharedL3, WithOneCoreEqualsAPrivateOne) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed, 3);
    Machine machine;
    machine.caches = small_caches(static_cast<std::int64_t>(1 + seed));
    machine.programs = {random_program(random, 2'000, seed % 2 == 0)};
    machine.more = {{"core", "3"}, {"prefetcher", "stride"}};
    CoresUnderTest own(machine, "private");
    CoresUnderTest shared(machine, "shared");
    own.finish(true);
    shared.finish(true);
    ASSERT_EQ(own.kernel.now(), shared.kernel.now());
    const std::vector<Sent> wanted = sorted_until(own.port.log, kNever);
    const std::vector<Sent> log = sorted_until(shared.port.log, kNever);
    ASSERT_EQ(log.size(), wanted.size());
    for (std::size_t i = 0; i < log.size(); ++i) {
      ASSERT_TRUE(log[i] == wanted[i]) << "request " << i << " at " << log[i].time.value();
    }
    std::map<std::string, double> statistics = statistics_of(*shared.cores[0]);
    EXPECT_EQ(statistics.at("core.0.l3.merges"), 0);
    EXPECT_EQ(statistics.at("core.0.l3.displaced"), 0);
    statistics.erase("core.0.l3.merges");
    statistics.erase("core.0.l3.displaced");
    EXPECT_EQ(statistics, statistics_of(*own.cores[0]));
  }
}

// 64 lines in L3, 16 in L2 and 8 in L1.
Machine two(Program first, Program second) {
  Machine machine;
  machine.caches = small_caches(16);
  machine.programs = {std::move(first), std::move(second)};
  machine.latency = fixed(100 * kNanosecond);
  return machine;
}

TEST(SharedL3, CoresShareTheMshrsInTurn) {
  Program first;
  Program second;
  for (std::uint64_t i = 1; i <= 60; ++i) {
    first.push_back(load(64 * i));
    second.push_back(load(64 * (1'000 + i)));
  }
  for (const std::int64_t mshrs : {1, 3}) {
    Machine machine = two(first, second);
    machine.caches.levels[2].mshrs = mshrs;
    CoresUnderTest test(machine);
    test.finish(true);
    const std::vector<Sent> reads = test.reads();
    ASSERT_EQ(reads.size(), 120u);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const auto after = i + static_cast<std::size_t>(mshrs);
      if (after < reads.size()) {
        EXPECT_GE(reads[after].time, reads[i].time + 100 * kNanosecond);
      }
      if (i >= 6) {  // both cores have sent requests by then
        const auto is_first = [](const Sent& sent) { return sent.source == 0; };
        const auto count = std::count_if(
            reads.begin() + 6, reads.begin() + static_cast<std::ptrdiff_t>(i) + 1, is_first);
        EXPECT_LE(std::abs(2 * count - static_cast<std::ptrdiff_t>(i - 5)), 2) << i;
      }
    }
  }
}

TEST(SharedL3, ContinuesExactlyFromACheckpoint) {
  Machine machine;
  machine.caches = small_caches(5);
  machine.one_space = true;
  machine.more = {{"prefetcher", "stride"}};
  Random random(8);
  for (int core = 0; core < 3; ++core) {
    machine.programs.push_back(random_program(random, 1'500, core != 1));
  }
  CoresUnderTest whole(machine);
  whole.finish(true);
  for (const int parts : {2, 3, 7}) {
    CoresUnderTest first(machine);
    first.kernel.run_until(whole.kernel.now() / parts);
    CoresUnderTest second(machine);
    second.load(first.save());
    second.finish(true);
    ASSERT_EQ(second.kernel.now(), whole.kernel.now());
    ASSERT_EQ(first.port.log.size() + second.port.log.size(), whole.port.log.size());
    EXPECT_TRUE(
        std::equal(second.port.log.begin(), second.port.log.end(),
                   whole.port.log.begin() + static_cast<std::ptrdiff_t>(first.port.log.size())));
    for (std::size_t core = 0; core < 3; ++core) {
      EXPECT_EQ(statistics_of(*second.cores[core]), statistics_of(*whole.cores[core]));
    }
  }
}

TEST(SharedL3, RejectsKeysOfAnAgentThatContradictIt) {
  const auto refusal = [](const Assignments& keys) -> std::string {
    Assignments all = with({{"path", "t"}, {"format", "champsim"}, {"l3.sharing", "shared"}}, keys);
    return error_from([&] { make_agent_of("cpu_trace", all); });
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({{"l3.size", "2MiB"}, {"l3.latency", "30"}}), "");
  EXPECT_TRUE(names(refusal({{"l3.size", "8MiB"}}), {"l3.size: ", "frontend.cache.l3.size"}));
  EXPECT_TRUE(names(refusal({{"l3.mshrs", "8"}}), {"l3.mshrs: ", "frontend.cache.l3.mshrs"}));
  EXPECT_TRUE(names(refusal({{"l3.sharing", "shard"}}), {"l3.sharing: ", "'shared'?"}));
}

}  // namespace
}  // namespace hmsim::testing
