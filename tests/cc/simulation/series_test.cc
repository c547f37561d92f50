// SPDX-License-Identifier: BSD-3-Clause
// Does the time series hold the statistics of each time, without changing the run?
#include "simulation/series.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"

namespace hmsim::testing {
namespace {

const std::vector<Assignments> kMix{
    {{"kind", "synthetic_core"}, {"rpki", "20"}, {"instructions", "60000"}},
    {{"kind", "synthetic"}, {"core", "1"}, {"target", "nvdimm"}, {"requests", "2000"}}};

std::unique_ptr<Simulation> make(const std::string& interval, const RunOptions& options = {}) {
  return std::make_unique<Simulation>(Assignments{{"frontend.series_interval", interval}}, kMix,
                                      options, text_source(""));
}

// Returns the registry's columns that statistics() also reports, as it would report them.
std::vector<double> row_of(const Simulation& simulation) {
  std::vector<double> row;
  for (const Statistic& statistic : simulation.statistics()) {
    if (statistic.kind == StatisticKind::histogram) {
      row.push_back(static_cast<double>(statistic.count));
      row.push_back(statistic.present ? statistic.summary.front().second : NAN);
    } else {
      const bool counter = statistic.kind == StatisticKind::counter;
      const double value = counter ? static_cast<double>(statistic.count) : statistic.value;
      row.push_back(statistic.present ? value : NAN);
    }
  }
  return row;
}

void expect_row(const Series& series, std::size_t row, const std::vector<double>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double found = series.values()[row * wanted.size() + i];
    EXPECT_TRUE(found == wanted[i] || (std::isnan(found) && std::isnan(wanted[i]))) << i;
  }
}

TEST(Series, RowsMatchTheStatistics) {
  const auto simulation = make("2us");
  const std::size_t columns = simulation->series_columns().size();
  for (std::size_t row = 0; row < 20; ++row) {
    const Tick time = static_cast<std::int64_t>(row + 1) * 2 * kMicrosecond;
    simulation->advance(time);
    const Series& series = *simulation->series();
    ASSERT_EQ(series.times().size(), row + 1);
    EXPECT_EQ(series.times()[row], time);
    ASSERT_EQ(series.values().size(), (row + 1) * columns);
    expect_row(series, row, row_of(*simulation));
  }
}

TEST(Series, ChangesNothing) {
  const auto with = make("2300ns");
  const auto without = make("0s");
  EXPECT_TRUE(with->run(1'000'000'000));
  EXPECT_TRUE(without->run(1'000'000'000));
  EXPECT_EQ(without->series(), nullptr);
  EXPECT_EQ(with->now(), without->now());
  const std::vector<double> expected = row_of(*without);
  const std::vector<double> found = row_of(*with);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(found[i] == expected[i] || std::isnan(expected[i])) << i;
  }
}

TEST(Series, BeginsWithMeasuring) {
  RunOptions options;
  options.warmup = 5 * kMicrosecond;
  const auto simulation = make("2us", options);
  simulation->advance(6 * kMicrosecond);
  EXPECT_TRUE(simulation->series()->times().empty());
  simulation->advance(10 * kMicrosecond);
  EXPECT_EQ(simulation->series()->times(), (std::vector<Tick>{7 * kMicrosecond, 9 * kMicrosecond}));
}

TEST(Series, ContinuesFromACheckpoint) {
  const auto whole = make("1us");
  whole->advance(30 * kMicrosecond);
  const auto first = make("1us");
  first->advance(Tick(10'300'000));
  const auto second = make("1us");
  second->load(first->save());
  second->advance(30 * kMicrosecond);
  EXPECT_EQ(second->series()->times(), whole->series()->times());
  EXPECT_EQ(second->save(), whole->save());
}

TEST(Series, AFullTableKeepsEveryOtherRow) {
  StatisticRegistry registry;
  Counter readings = 0;
  registry.counter("readings", "", "", {&readings});
  registry.gauge("twice", "", "", [&readings] { return 2.0 * static_cast<double>(readings); });
  Kernel kernel;
  Series series(
      registry, Tick(10), [&readings] { ++readings; }, 8);
  kernel.attach(series);
  series.begin(Tick(5));
  kernel.notify_all();
  kernel.run_until(Tick(5 + 30));
  EXPECT_EQ(series.times(), (std::vector<Tick>{Tick(15), Tick(25), Tick(35)}));
  EXPECT_EQ(series.values(), (std::vector<double>{1, 2, 2, 4, 3, 6}));
  kernel.run_until(Tick(5 + 40));
  EXPECT_EQ(series.interval(), Tick(20));
  EXPECT_EQ(series.times(), (std::vector<Tick>{Tick(25), Tick(45)}));
  EXPECT_EQ(series.values(), (std::vector<double>{2, 4, 4, 8}));
  for (std::int64_t time = 50; time < 10'000; time += 7) {
    kernel.run_until(Tick(time));
    EXPECT_LT(series.values().size(), 8u);
    for (std::size_t row = 0; row < series.times().size(); ++row) {
      EXPECT_EQ(series.times()[row],
                Tick(5) + static_cast<std::int64_t>(row + 1) * series.interval());
    }
  }
}

TEST(Series, TheIntervalIsChecked) {
  EXPECT_EQ(Simulation::check({{"frontend.series_interval", "1ns"}}).size(), 0u);
  EXPECT_EQ(Simulation::check({{"frontend.series_interval", "999ps"}}).size(), 1u);
  EXPECT_EQ(Simulation::check({{"frontend.series_interval", "2s"}}).size(), 1u);
}

}  // namespace
}  // namespace hmsim::testing
