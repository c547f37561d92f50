// SPDX-License-Identifier: BSD-3-Clause
// Does the harmonic arbiter decide according to equations 1 and 2?
#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/random.h"
#include "tests/cc/names.h"
#include "tests/cc/policies/rig.h"
#include "tests/cc/states.h"

namespace hmsim {
namespace {

using testing::dram_line;
using testing::kCycle;
using testing::nvdimm_line;
using testing::table_text;

constexpr auto kDram = MemoryClass::dram;
constexpr auto kNvdimm = MemoryClass::nvdimm;

Assignments parameters(const std::string& table, const Assignments& more = {}) {
  Assignments all{{"policies.harmonic.table", table}};
  for (const Assignment& one : more) {
    all.emplace_back("policies.harmonic." + one.first, one.second);
  }
  return all;
}

std::string flat_table() {
  return table_text([](std::size_t) { return 100; }, [](std::size_t) { return 100; });
}

// Ends a window of each class by time: sequential DRAM reads of one row, random NVDIMM reads.
void show_patterns(ArbiterRehearsal& test) {
  for (const Tick now : {Tick(0), 20'000 * kCycle}) {
    for (std::int64_t i = 0; i < 10; ++i) {
      test.arbiter().on_enqueue(dram_line(i), now);
      test.arbiter().on_enqueue(nvdimm_line(1000 * i, false, 1), now);
    }
  }
}

// Spec 2.5, with the bytes of direct lookups: 48 + 576 stages, and at two bytes each (12 + 4 + 2 +
// 6 + 8) bounds of characteristics and 12 of utilisation.
TEST(HarmonicTable, TheTableTakes3096Bytes) {
  EXPECT_EQ(kDramCells, 48U);
  EXPECT_EQ(kNvdimmCells, 576U);
  EXPECT_EQ(kPaperTableBytes, 3096U);
  EXPECT_EQ(PerformanceTable::used_bytes(), 48U + 576U + 2 * (32 + 12));
}

TEST(HarmonicTable, APatternSelectsItsCell) {
  DramPattern dram({2, kNever});
  dram.add(dram_line(0), Tick(0));
  dram.add(dram_line(100), Tick(0));  // stride 100: bin 2; row seen in 1 of 2: bin 0
  EXPECT_EQ(PerformanceTable::cell(dram), (2U * 2 + 0) * 6);
  NvdimmPattern nvdimm({4, kNever});
  for (const std::int64_t page : {1, 2, 3}) {
    nvdimm.add(nvdimm_line(page, true), Tick(0));  // random writes 1/3: bin 1
  }
  nvdimm.add(nvdimm_line(7, false), Tick(0));  // random reads 1: bin 3; writes 3/4: bin 4
  EXPECT_EQ(PerformanceTable::cell(nvdimm), ((4U * 4 + 1) * 4 + 3) * 6);
  PerformanceTable table;
  table.read(table_text([](std::size_t i) { return i; }, [](std::size_t i) { return 2 * i; }));
  EXPECT_EQ(table.dram(24, 5), 25 * kWhole / 47);
  EXPECT_EQ(table.dram_stage(24, 5), 25 * 6 / 47);
  EXPECT_EQ(table.nvdimm(570, 128), kWhole);
  EXPECT_EQ(table.nvdimm_stage(570, 128), 5);
}

TEST(HarmonicTable, ReportsErrorsOfAText) {
  const std::string good = flat_table();
  EXPECT_EQ(PerformanceTable::check(good), "");
  EXPECT_TRUE(testing::names(PerformanceTable::check(""), {"'version'", "end"}));
  EXPECT_TRUE(testing::names(PerformanceTable::check("version 2 dram"), {"'1'", "'2'"}));
  EXPECT_TRUE(testing::names(PerformanceTable::check(good.substr(0, good.size() - 4)),
                             {"rate 575 of 576 of nvdimm:", "1000000000", "end"}));
  EXPECT_TRUE(testing::names(PerformanceTable::check(good + " 1"), {"end", "'1'"}));
  const std::string more = good + "0";  // a digit outside the view of the text
  EXPECT_EQ(PerformanceTable::check(std::string_view(more).substr(0, good.size())), "");
  const std::string words =
      table_text([](std::size_t) { return -1; }, [](std::size_t) { return 1; });
  EXPECT_TRUE(testing::names(PerformanceTable::check(words), {"rate 0 of 48 of dram:"}));
  const std::string zeros =
      table_text([](std::size_t) { return 0; }, [](std::size_t) { return 1; });
  EXPECT_TRUE(testing::names(PerformanceTable::check(zeros), {"dram", "above 0"}));
  const std::string huge =
      table_text([](std::size_t) { return "99999999999999999999"; }, [](std::size_t) { return 1; });
  EXPECT_NE(PerformanceTable::check(huge), "");
}

// The best rate of a class counts as 1, whether it is the first one or the last.
TEST(HarmonicTable, TheFirstCellCountsAsTheLastDoes) {
  PerformanceTable rising;
  rising.read(table_text([](std::size_t i) { return i + 1; }, [](std::size_t i) { return i + 1; }));
  EXPECT_EQ(rising.dram(0, 1), kWhole / 48);
  EXPECT_EQ(rising.nvdimm(0, 1), kWhole / 576);
  PerformanceTable falling;
  falling.read(
      table_text([](std::size_t i) { return 48 - i; }, [](std::size_t i) { return 576 - i; }));
  EXPECT_EQ(falling.dram(0, 1), kWhole);
  EXPECT_EQ(falling.dram_stage(0, 1), 5);
  EXPECT_EQ(falling.nvdimm(0, 1), kWhole);
  EXPECT_EQ(falling.nvdimm_stage(0, 1), 5);
  EXPECT_EQ(falling.dram(42, 128), kWhole / 48);
}

TEST(HarmonicTable, ARateIsANumberUpToABillion) {
  const auto wrong = [](const char* rate) {
    return PerformanceTable::check(table_text([=](std::size_t i) { return i == 3 ? rate : "1"; },
                                              [](std::size_t) { return 1; }));
  };
  EXPECT_EQ(wrong("0"), "");
  EXPECT_EQ(wrong("1000000000"), "");
  for (const char* rate : {"1000000001", "-1", "10x", "x"}) {
    EXPECT_TRUE(testing::names(
        wrong(rate), {"rate 3 of 48 of dram:", "1000000000", "'" + std::string(rate) + "'"}));
  }
}

TEST(Harmonic, NeedsATable) { EXPECT_THROW(ArbiterRehearsal("harmonic", {}), InputError); }

// Without patterns both classes have the middle value, so the fuller queue wins.
TEST(Harmonic, TheFullerQueueWithoutHistory) {
  for (const char* impl : {"exact", "table"}) {
    ArbiterRehearsal test("harmonic", parameters(flat_table(), {{"impl", impl}}));
    EXPECT_EQ(test.choose(100, 20), kDram) << impl;
    EXPECT_EQ(test.choose(20, 100), kNvdimm) << impl;
  }
}

// Spec 2.2: u_d = 24/128 and u_n = 104/128 break even if p_d - p_n is 0.625 (1 - w) / w: never at w
// = 0.2, at 0.625 for w = 0.5, at 0.156 for w = 0.8.
TEST(Harmonic, TheWeightMovesTheBreakEven) {
  const auto winner = [](const char* weight, int nvdimm_rate) {
    // The pattern's cells: stride 1, reused rows; only random reads.
    const std::string table =
        table_text([](std::size_t) { return 1000; },
                   [=](std::size_t i) { return i < kNvdimmCells / 6 ? nvdimm_rate : 1000; });
    ArbiterRehearsal test("harmonic", parameters(table, {{"weight", weight}}));
    show_patterns(test);
    return test.choose(24, 104);
  };
  EXPECT_EQ(winner("0.2", 0), kNvdimm);
  EXPECT_EQ(winner("0.5", 370), kDram);
  EXPECT_EQ(winner("0.5", 380), kNvdimm);
  EXPECT_EQ(winner("0.8", 840), kDram);
  EXPECT_EQ(winner("0.8", 848), kNvdimm);
}

// The best pattern has 1 and an unknown one 1/2. For w = 1/2 they break even if the other queue is
// fuller by half of its 128 slots; in stages, 5 against 3, by two of six.
TEST(Harmonic, AnUnknownPatternCountsAsOneHalf) {
  ArbiterRehearsal dram("harmonic", parameters(flat_table()));
  ArbiterRehearsal stages("harmonic", parameters(flat_table(), {{"impl", "table"}}));
  ArbiterRehearsal nvdimm("harmonic", parameters(flat_table()));
  ArbiterRehearsal other_stages("harmonic", parameters(flat_table(), {{"impl", "table"}}));
  for (const Tick now : {Tick(0), 20'000 * kCycle}) {
    dram.arbiter().on_enqueue(dram_line(0), now);
    stages.arbiter().on_enqueue(dram_line(0), now);
    nvdimm.arbiter().on_enqueue(nvdimm_line(0, false, 1), now);
    other_stages.arbiter().on_enqueue(nvdimm_line(0, false, 1), now);
  }
  EXPECT_EQ(dram.choose(20, 83, Tick(2), Tick(1)), kDram);
  EXPECT_EQ(dram.choose(20, 84, Tick(2), Tick(1)), kNvdimm) << "a tie, and the NVDIMM's is older";
  EXPECT_EQ(dram.choose(20, 84, Tick(1), Tick(2)), kDram) << "a tie";
  EXPECT_EQ(dram.choose(20, 85, Tick(1), Tick(2)), kNvdimm);
  EXPECT_EQ(nvdimm.choose(83, 20, Tick(1), Tick(2)), kNvdimm);
  EXPECT_EQ(nvdimm.choose(84, 20, Tick(1), Tick(2)), kDram) << "a tie";
  EXPECT_EQ(nvdimm.choose(84, 20, Tick(2), Tick(1)), kNvdimm) << "a tie";
  EXPECT_EQ(nvdimm.choose(85, 20, Tick(2), Tick(1)), kDram);
  // 10, 30, 50, 75: the middles of stages 0 to 3.
  EXPECT_EQ(stages.choose(10, 30, Tick(2), Tick(1)), kDram);
  EXPECT_EQ(stages.choose(10, 50, Tick(2), Tick(1)), kNvdimm) << "a tie";
  EXPECT_EQ(stages.choose(10, 50, Tick(1), Tick(2)), kDram) << "a tie";
  EXPECT_EQ(stages.choose(10, 75, Tick(1), Tick(2)), kNvdimm);
  EXPECT_EQ(other_stages.choose(30, 10, Tick(1), Tick(2)), kNvdimm);
  EXPECT_EQ(other_stages.choose(50, 10, Tick(1), Tick(2)), kDram) << "a tie";
  EXPECT_EQ(other_stages.choose(50, 10, Tick(2), Tick(1)), kNvdimm) << "a tie";
  EXPECT_EQ(other_stages.choose(75, 10, Tick(2), Tick(1)), kDram);
}

// Until then it has the middle value, and the fuller queue wins.
TEST(Harmonic, APatternIsKnownAfterAWindowOfRequestsOrOfTime) {
  const Assignments short_windows{{"window", "4"}, {"window_cycles", "100"}};
  for (const bool dram : {true, false}) {
    const auto known_after = [&](const std::vector<std::int64_t>& cycles) {
      ArbiterRehearsal test("harmonic", parameters(flat_table(), short_windows));
      for (const std::int64_t cycle : cycles) {
        const RequestView request = dram ? dram_line(cycle) : nvdimm_line(cycle, false, 1);
        test.arbiter().on_enqueue(request, cycle * kCycle);
      }
      return (dram ? test.choose(20, 83) : test.choose(83, 20)) == (dram ? kDram : kNvdimm);
    };
    EXPECT_FALSE(known_after({0, 0, 0})) << dram;
    EXPECT_TRUE(known_after({0, 0, 0, 0})) << dram;
    EXPECT_FALSE(known_after({0, 99})) << dram;
    EXPECT_TRUE(known_after({0, 100})) << dram;
  }
}

// At w = 1 queues do not count, so without patterns every contest is a tie.
TEST(Harmonic, TheWeightIsRoundedToThousandthsOrTenths) {
  const auto is_one = [](const char* impl, const char* weight) {
    ArbiterRehearsal test("harmonic",
                          parameters(flat_table(), {{"impl", impl}, {"weight", weight}}));
    test.choose(100, 1);
    return test.counter("ties") == 1;
  };
  EXPECT_TRUE(is_one("exact", "0.9996"));
  EXPECT_FALSE(is_one("exact", "0.9994"));
  EXPECT_TRUE(is_one("table", "0.95"));
  EXPECT_FALSE(is_one("table", "0.949"));
}

// With equal tables and queues, exchanging the classes' states exchanges the decision.
TEST(Harmonic, ServiceRatesAreAntisymmetric) {
  Random random(5);
  std::array<int, 6> rates{};
  for (int& rate : rates) {
    rate = static_cast<int>(random.below(1000)) + 1;
  }
  const std::string table = table_text([&](std::size_t i) { return rates[i % 6]; },
                                       [&](std::size_t i) { return rates[i % 6]; });
  for (const char* impl : {"exact", "table"}) {
    for (const char* weight : {"0", "0.3", "0.5", "1"}) {
      ArbiterRehearsal test("harmonic", parameters(table, {{"impl", impl}, {"weight", weight}}));
      show_patterns(test);
      for (int i = 0; i < 1000; ++i) {
        const int a = static_cast<int>(random.below(129));
        const int b = static_cast<int>(random.below(129));
        const Counter ties = test.counter("ties");
        const MemoryClass one = test.choose(a, b);
        const bool tie = test.counter("ties") > ties;
        const MemoryClass other = test.choose(b, a);
        EXPECT_EQ(one == other, tie) << impl << ' ' << weight << ' ' << a << ' ' << b;
        EXPECT_EQ(test.counter("ties") - ties, tie ? 2U : 0U);
      }
    }
  }
}

TEST(Harmonic, TiesGoToTheOlderRequestThenToDram) {
  ArbiterRehearsal test("harmonic", parameters(flat_table()));
  EXPECT_EQ(test.choose(50, 50, Tick(1), Tick(2)), kDram);
  EXPECT_EQ(test.choose(50, 50, Tick(2), Tick(1)), kNvdimm);
  EXPECT_EQ(test.choose(50, 50, Tick(2), Tick(2)), kDram);
  EXPECT_EQ(test.counter("ties"), 3U);
}

TEST(Harmonic, StagesAreCoarser) {
  ArbiterRehearsal exact("harmonic", parameters(flat_table()));
  ArbiterRehearsal table("harmonic", parameters(flat_table(), {{"impl", "table"}}));
  EXPECT_EQ(exact.choose(21, 20, Tick(2), Tick(1)), kDram);
  EXPECT_EQ(table.choose(21, 20, Tick(2), Tick(1)), kNvdimm) << "both in stage 0";
  EXPECT_EQ(exact.counter("disagreements"), 1U);
  EXPECT_EQ(table.counter("disagreements"), 1U);
  EXPECT_EQ(table.choose(22, 21, Tick(2), Tick(1)), kDram);
  EXPECT_EQ(table.counter("disagreements"), 1U);
}

TEST(Harmonic, TheGuardServesTheEarliestDeadline) {
  const auto guarded = [](const char* on) {
    ArbiterRehearsal test("harmonic", parameters(flat_table(), {{"guard", on}}));
    test.arbiter().on_enqueue(testing::view_of(kDram, 0), Tick(0));  // due at 2000
    test.arbiter().on_ack(testing::view_of(kNvdimm, 1), Tick(0));    // due at 8000
    EXPECT_EQ(test.choose(1, 100, {}, {}, 2000 * kCycle), kNvdimm);
    const MemoryClass late = test.choose(1, 100, {}, {}, 2001 * kCycle);
    test.arbiter().on_enqueue(testing::view_of(kDram, 0), 7000 * kCycle);  // another request
    EXPECT_EQ(test.choose(100, 1, {}, {}, 8000 * kCycle), kDram);
    const MemoryClass later = test.choose(100, 1, {}, {}, 9001 * kCycle);
    return std::make_pair(late, later);
  };
  EXPECT_EQ(guarded("false"), std::make_pair(kNvdimm, kDram));
  EXPECT_EQ(guarded("true"), std::make_pair(kDram, kNvdimm));
}

TEST(Harmonic, TheGuardPrefersDramAtEqualDeadlines) {
  const Assignments guard{{"guard", "true"}, {"dram_guard", "500"}, {"nvdimm_guard", "500"}};
  ArbiterRehearsal test("harmonic", parameters(flat_table(), guard));
  EXPECT_EQ(test.choose(1, 100, {}, {}, 500 * kCycle), kNvdimm) << "neither is overdue";
  EXPECT_EQ(test.counter("guarded"), 0U);
  EXPECT_EQ(test.choose(1, 100, {}, {}, 501 * kCycle), kDram);
  EXPECT_EQ(test.counter("guarded"), 1U);
}

// Requests are ready from time 0. The guards of 2000 and 8000 cycles decide nothing here.
TEST(Harmonic, ARequestThatLosesBeyondItsGuardCountsAsStarved) {
  ArbiterRehearsal test("harmonic", parameters(flat_table()));
  const auto starved = [&] {
    return std::make_pair(test.counter("starved_dram"), test.counter("starved_nvdimm"));
  };
  using Pair = std::pair<Counter, Counter>;
  EXPECT_EQ(test.choose(1, 100, {}, {}, 2000 * kCycle), kNvdimm);
  EXPECT_EQ(starved(), Pair(0, 0));
  EXPECT_EQ(test.choose(100, 1, {}, {}, 2001 * kCycle), kDram);
  EXPECT_EQ(starved(), Pair(0, 0)) << "who wins does not starve";
  EXPECT_EQ(test.choose(1, 100, {}, {}, 2001 * kCycle), kNvdimm);
  EXPECT_EQ(starved(), Pair(1, 0));
  EXPECT_EQ(test.choose(100, 1, {}, {}, 8000 * kCycle), kDram);
  EXPECT_EQ(starved(), Pair(1, 0));
  EXPECT_EQ(test.choose(1, 100, {}, {}, 8001 * kCycle), kNvdimm);
  EXPECT_EQ(starved(), Pair(2, 0));
  EXPECT_EQ(test.choose(100, 1, {}, {}, 8001 * kCycle), kDram);
  EXPECT_EQ(starved(), Pair(2, 1));
  EXPECT_EQ(test.choose(100, 1, {}, {}, 9000 * kCycle), kDram);
  EXPECT_EQ(starved(), Pair(2, 2));
}

// The state: patterns, times since which requests are ready, and counters.
TEST(Harmonic, StateIsSavedAndLoaded) {
  const Assignments all = parameters(
      table_text([](std::size_t i) { return i + 1; }, [](std::size_t i) { return 576 - i; }),
      {{"guard", "true"}});
  ArbiterRehearsal saved("harmonic", all);
  const auto go_on = [](ArbiterRehearsal& test, std::int64_t from, std::int64_t to) {
    std::vector<MemoryClass> chosen;
    for (std::int64_t i = from; i < to; ++i) {
      const Tick now = i * 500 * kCycle;
      test.arbiter().on_enqueue(dram_line(i * i), i % 9 == 0 ? now : Tick(0));
      test.arbiter().on_ack(testing::view_of(kNvdimm, 1), i % 7 == 0 ? now : Tick(0));
      test.arbiter().on_enqueue(nvdimm_line(i * i / 2, i % 3 == 0, 2), now);
      chosen.push_back(test.choose(static_cast<int>(i * 37 % 128), static_cast<int>(i * 51 % 128),
                                   {}, {}, i % 5 == 0 ? now : Tick(0)));
    }
    return chosen;
  };
  go_on(saved, 0, 200);
  ArbiterRehearsal loaded("harmonic", all);
  testing::copy_state(saved.arbiter(), loaded.arbiter());
  for (const PolicyCounter& counter : saved.arbiter().counters()) {
    EXPECT_EQ(loaded.counter(counter.name), *counter.value) << counter.name;
  }
  EXPECT_GT(saved.counter("guarded"), 0U);
  const Tick overdue = 200 * 500 * kCycle;
  EXPECT_EQ(loaded.choose(1, 100, {}, {}, overdue), saved.choose(1, 100, {}, {}, overdue));
  EXPECT_EQ(go_on(loaded, 200, 400), go_on(saved, 200, 400));
}

}  // namespace
}  // namespace hmsim
