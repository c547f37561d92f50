// SPDX-License-Identifier: BSD-3-Clause
// Does the command log hold the right records up to its limit, without changing the run?
#include "simulation/command_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulation/simulation.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

const std::vector<Assignments> kMix{
    {{"kind", "synthetic"}, {"core", "0"}, {"target", "dram"}, {"requests", "2000"}},
    keys_from(
        "kind=synthetic core=1 target=nvdimm footprint=4MiB pattern=sequential requests=300")};
const std::vector<Assignments> kWrites{
    keys_from("kind=synthetic core=1 target=nvdimm read_ratio=0.5 footprint=8MiB pattern=random "
              "requests=300")};
// Little flash with few free blocks, so that writes trigger collection.
const Assignments kCollecting = keys_from(
    "nvdimm.capacity=16MiB nvdimm.nand.channels=1 nvdimm.nand.chips=1 "
    "nvdimm.nand.pages_per_block=16 nvdimm.buffer.read_size=64KiB nvdimm.buffer.write_size=64KiB "
    "nvdimm.precondition.fill=1 nvdimm.precondition.overwrite=1");

std::unique_ptr<Simulation> make(std::int64_t rows, const std::vector<Assignments>& agents = kMix,
                                 const Assignments& config = kCollecting, bool check = true) {
  RunOptions options;
  options.check = check;
  options.log_commands = rows;
  return std::make_unique<Simulation>(config, agents, options, text_source(""));
}

std::uint64_t count_of(const Simulation& simulation, const std::string& path) {
  return statistic_of(simulation.statistics(), path).count;
}

std::uint64_t number_of(const std::vector<std::int64_t>& column, std::int64_t value) {
  return static_cast<std::uint64_t>(std::count(column.begin(), column.end(), value));
}

std::uint64_t number_of(const CommandLog::Commands::Columns& commands, ChannelCommand command) {
  return number_of(commands[1], static_cast<std::int64_t>(command));
}

TEST(CommandLog, MatchesTheStatistics) {
  const auto simulation = make(1'000'000);
  EXPECT_TRUE(simulation->run(~0ULL));
  const CommandLog::Commands::Columns commands = simulation->command_log()->commands().take();
  EXPECT_EQ(number_of(commands, ChannelCommand::activate), count_of(*simulation, "dram.activates"));
  EXPECT_EQ(number_of(commands, ChannelCommand::precharge),
            count_of(*simulation, "dram.precharges"));
  EXPECT_EQ(number_of(commands, ChannelCommand::refresh), count_of(*simulation, "dram.refreshes"));
  EXPECT_EQ(static_cast<std::int64_t>(commands[0].size()), simulation->checked_commands());
  EXPECT_TRUE(std::is_sorted(commands[0].begin(), commands[0].end()));
  const std::size_t left = simulation->command_log()->rows();
  EXPECT_EQ(left, simulation->command_log()->modules().take().front().size());
  EXPECT_FALSE(simulation->command_log()->full());
}

TEST(CommandLog, HoldsCollections) {
  const auto simulation = make(10'000'000, kWrites);
  EXPECT_TRUE(simulation->run(~0ULL));
  const CommandLog::Modules::Columns modules = simulation->command_log()->modules().take();
  EXPECT_GT(count_of(*simulation, "nvdimm.gc.count"), 0U);
  EXPECT_EQ(number_of(modules[4], CommandLog::kCollectionEnds),
            count_of(*simulation, "nvdimm.gc.count") +
                count_of(*simulation, "nvdimm.ftl.levelled_blocks"));
}

TEST(CommandLog, HoldsOtherMedia) {
  const auto simulation =
      make(1'000'000, kWrites, {{"nvdimm.kind", "pcm"}, {"nvdimm.capacity", "64MiB"}});
  EXPECT_TRUE(simulation->run(~0ULL));
  const CommandLog::Modules::Columns modules = simulation->command_log()->modules().take();
  EXPECT_EQ(number_of(modules[4], CommandLog::kMediaStage), modules[4].size());
  EXPECT_EQ(number_of(modules[5], 0), count_of(*simulation, "nvdimm.media.reads"));
  // Some writes still wait for their banks at the end.
  EXPECT_GE(number_of(modules[5], CommandLog::kWrite),
            count_of(*simulation, "nvdimm.media.writes"));
}

TEST(CommandLog, KeepsItsFirstRows) {
  const auto whole = make(1'000'000);
  whole->run(~0ULL);
  const auto cut = make(500);
  cut->run(~0ULL);
  EXPECT_TRUE(cut->command_log()->full());
  EXPECT_EQ(cut->command_log()->rows(), 500U);
  const CommandLog::Commands::Columns all = whole->command_log()->commands().take();
  const CommandLog::Commands::Columns first = cut->command_log()->commands().take();
  for (std::size_t column = 0; column < all.size(); ++column) {
    EXPECT_TRUE(std::equal(first[column].begin(), first[column].end(), all[column].begin()));
  }
}

TEST(CommandLog, ChangesNothing) {
  const auto with = make(1'000'000, kMix, kCollecting, false);
  const auto without = make(0, kMix, kCollecting, false);
  with->run(~0ULL);
  without->run(~0ULL);
  EXPECT_EQ(without->command_log(), nullptr);
  EXPECT_EQ(with->save(), without->save());
}

TEST(CommandLog, BeginsWithMeasuring) {
  RunOptions options;
  options.warmup = 20 * kMicrosecond;
  options.log_commands = 1'000'000;
  Simulation simulation(kCollecting, kMix, options, text_source(""));
  simulation.run(~0ULL);
  const CommandLog::Commands::Columns commands = simulation.command_log()->commands().take();
  ASSERT_FALSE(commands[0].empty());
  EXPECT_GE(Tick(1250) * commands[0].front(), options.warmup);
}

}  // namespace
}  // namespace hmsim::testing
