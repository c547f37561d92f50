// SPDX-License-Identifier: BSD-3-Clause
// Does a channel load any matching state, whatever it did before?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/controller/statistics_text.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

struct Setting {
  const char* name;
  Assignments assignments;
  std::uint64_t between_flushes = 0;
};

std::vector<Setting> settings() {
  const Assignments few{{"controller.command_queue_depth", "2"}};
  const Assignments drained{{"controller.writes", "drained"}};
  const Assignments two_level{{"controller.structure", "two_level"},
                              {"controller.command_queue_depth", "4"}};
  return {
      {"dram", kDramOnly},
      {"command_queues_fill", with(kDramOnly, few)},
      {"drained", with(kDramOnly, with(drained, few))},
      {"two_level", with(kSmallNvdimm, two_level), 8},
      {"two_level_split", with(kSmallNvdimm, with(two_level, {{"controller.queues", "split"}}))},
      {"closed_page", with(kDramOnly, {{"controller.page_policy", "closed_page"}})},
      {"postponed",
       with(kDramOnly, {{"dram.refresh_postpone", "3"}, {"dram.timing.tREFI", "900"}})},
      {"power_down", with(kDramOnly, {{"dram.power_down", "fast"}, {"dram.ranks", "2"}})},
      {"flushes", kSmallNvdimm, 6},
      {"flushes_drained", with(kSmallNvdimm, with(drained, few)), 6},
      {"auto", with(kSmallNvdimm, {{"controller.ack", "auto"}, {"controller.queues", "split"}})},
      {"blocks", with(kSmallNvdimm, {{"nvdimm.access", "block"}}), 8},
      {"blocks_auto", with(kSmallNvdimm, {{"nvdimm.access", "block"}, {"controller.ack", "auto"}}),
       8},
      {"credits", with(kSmallNvdimm, {{"controller.ack", "nvdimm_p"}}), 9},
      {"par_bs", with(kSmallNvdimm, {{"controller.scheduler", "par_bs"}})},
      {"overdue", with(kSmallNvdimm, {{"controller.starvation_limit", "100ns"}}), 9},
  };
}

// Sends `bursts` bursts with pauses of `pause` cycles.
void drive(ChannelUnderTest& channel, const Setting& setting, std::uint64_t seed, int bursts,
           std::int64_t pause) {
  RandomTraffic traffic(channel, seed, setting.between_flushes);
  Cycle now(channel.kernel_.now() / channel.channel_.clock_period());
  for (int i = 0; i < bursts; ++i) {
    traffic.burst();
    now += Cycle(pause);
    channel.run_to(now);
  }
}

// Continues with the same traffic and returns the final statistics.
std::string go_on(ChannelUnderTest& channel, const Setting& setting) {
  drive(channel, setting, 11, 40, 30);
  channel.run_to(Cycle(channel.kernel_.now() / channel.channel_.clock_period()) + Cycle(20'000));
  return statistics_of(channel);
}

class LoadedOver : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LoadedOver, AnotherStateAChannelContinuesExactly) {
  const Setting setting = settings()[GetParam()];
  ChannelUnderTest whole(setting.assignments);
  drive(whole, setting, 3, 50, 13);
  const std::string state = whole.save();
  const std::uint64_t next_id = whole.next_id_;
  const std::size_t commands = whole.log_.size();
  const std::string end = go_on(whole, setting);
  for (const std::int64_t pause : {5, 60}) {
    ChannelUnderTest used(setting.assignments);
    drive(used, setting, 7, 60, pause);
    used.load(state);
    used.next_id_ = next_id;
    used.log_.clear();
    EXPECT_EQ(go_on(used, setting), end);
    ASSERT_EQ(used.log_.size(), whole.log_.size() - commands);
    for (std::size_t i = 0; i < used.log_.size(); ++i) {
      ASSERT_TRUE(used.log_[i] == whole.log_[commands + i]) << "command " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LoadedOver, ::testing::Range<std::size_t>(0, settings().size()),
                         [](const auto& each) { return settings()[each.param].name; });

// Loads the state of a channel with eight requests of a class into one with other queues.
void load_into(const Assignments& from, MemoryClass memory, const Assignments& into) {
  ChannelUnderTest full(with(kSmallNvdimm, from));
  for (int i = 0; i < 8; ++i) {
    full.send(memory, memory == MemoryClass::dram ? full.dram(i, 0, 0) : Address(i * 4096));
  }
  full.run_to(Cycle(3));
  const std::string state = full.save();
  full.drain();
  ChannelUnderTest other(with(kSmallNvdimm, into));
  other.violations_expected_ = true;
  other.load(state);
}

bool is_taken(const Assignments& from, MemoryClass memory, const Assignments& into) {
  return error_from([&] { load_into(from, memory, into); }).empty();
}

// Each section of a state begins with its name.
TEST(LoadedChannel, RejectsAStateWithAnUnknownPart) {
  ChannelUnderTest channel(kSmallNvdimm);
  drive(channel, {"", {}}, 3, 10, 13);
  const std::string state = channel.save();
  for (const char* part : {"channel", "page control", "kernel"}) {
    const std::size_t at = state.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    std::string changed = state;
    changed[at] = 'x';
    EXPECT_THROW(channel.load(changed), InputError) << part;
  }
  channel.load(state);
}

TEST(LoadedQueues, RejectStatesThatExceedTheirDepth) {
  const auto split = [](const char* dram, const char* nvdimm) {
    return Assignments{{"controller.queues", "split"},
                       {"controller.queue_depth", dram},
                       {"controller.nvdimm_queue_depth", nvdimm}};
  };
  const Assignments even = split("8", "8");
  for (const auto memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    EXPECT_TRUE(is_taken(even, memory, even));
  }
  EXPECT_TRUE(is_taken(even, MemoryClass::dram, split("9", "7")));
  EXPECT_FALSE(is_taken(even, MemoryClass::dram, split("7", "9")));
  EXPECT_TRUE(is_taken(even, MemoryClass::nvdimm, split("7", "9")));
  EXPECT_FALSE(is_taken(even, MemoryClass::nvdimm, split("9", "7")));
}

}  // namespace
}  // namespace hmsim::testing
