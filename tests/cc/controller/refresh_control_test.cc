// SPDX-License-Identifier: BSD-3-Clause
// How long is a place busy with a refresh?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "controller/channel/native_banks.h"
#include "controller/channel/refresh.h"
#include "controller/channel/write_drain.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

struct Refreshed {
  explicit Refreshed(const Assignments& more = {})
      : dram(make_config(with(kDramOnly, more)).dram) {}

  const DramParameters dram;
  TransactionPool pool{4};
  TimingEngine engine{timing_rules(dram),
                      static_cast<int>(dram.ranks) + 2,
                      static_cast<int>(dram.organisation.groups),
                      static_cast<int>(dram.organisation.banks),
                      static_cast<int>(dram.same_bank_stride()),
                      static_cast<int>(dram.organisation.stacks)};
  NativeBanks banks{dram, engine, pool};
  RefreshControl control{dram, engine, banks};
};

// A refresh of each of two ranks, the second before the first is over.
TEST(RefreshControl, IsBusyBeforeTheEndsOfItsRefreshesAndNotAtThem) {
  Refreshed refreshed(Assignments{{"dram.ranks", "2"}});
  const DramParameters& dram = refreshed.dram;
  RefreshControl& control = refreshed.control;
  constexpr std::array<Cycle, 2> kBegins{Cycle(100), Cycle(150)};
  std::array<Cycle, 2> ends{};
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    control.refreshed(static_cast<int>(rank), kBegins[rank]);
    ends[rank] = kBegins[rank] + Cycle(dram.timing.trfc);
  }
  for (Cycle edge = kBegins[1]; edge <= ends[1] + Cycle(2); ++edge) {
    EXPECT_EQ(control.busy(0, edge), edge < ends[0]) << edge.value();
    EXPECT_EQ(control.busy(1, edge), edge < ends[1]) << edge.value();
    EXPECT_EQ(control.busy(edge), edge < ends[1]) << edge.value();
    EXPECT_EQ(control.next_free(edge), edge < ends[0]   ? ends[0]
                                       : edge < ends[1] ? ends[1]
                                                        : kNeverCycle)
        << edge.value();
  }
}

// A rank that leaves self-refresh takes no refresh for a time; the next one is due one interval
// later.
TEST(RefreshControl, IsBusyForATimeAfterSelfRefresh) {
  Refreshed refreshed(Assignments{{"dram.ranks", "2"}});
  RefreshControl& control = refreshed.control;
  constexpr Cycle kWoken(20'000);
  constexpr Cycle kTime(512);
  const Cycle other = control.urgent_from(1);
  control.sleep(0, true);
  EXPECT_EQ(control.urgent_from(0), kNeverCycle);
  EXPECT_EQ(control.next(Cycle(1)), other);
  EXPECT_FALSE(control.busy(kWoken));
  control.wake_from_self_refresh(0, kWoken, kTime);
  EXPECT_EQ(control.urgent_from(0), kWoken + Cycle(refreshed.dram.refresh_interval()));
  for (Cycle edge = kWoken; edge < kWoken + kTime + Cycle(2); ++edge) {
    const bool busy = edge < kWoken + kTime;
    EXPECT_EQ(control.busy(0, edge), busy) << edge.value();
    EXPECT_EQ(control.busy(edge), busy) << edge.value();
    EXPECT_FALSE(control.busy(1, edge)) << edge.value();
    EXPECT_EQ(control.next_free(edge), busy ? kWoken + kTime : kNeverCycle) << edge.value();
  }
}

// Loading discards waiting requests: a rank without waiting requests is refreshed early.
TEST(RefreshControl, ALoadedStateHasNoWaitingRequests) {
  Refreshed refreshed({{"dram.refresh_pull_in", "1"}, {"dram.refresh_postpone", "1"}});
  RefreshControl& control = refreshed.control;
  const Cycle due(refreshed.dram.refresh_interval());
  Archive saved;
  control.serialize(saved);
  control.count_waiting(0, 1);
  ASSERT_FALSE(control.idle_step(due).present());
  Archive loading(saved.bytes());
  control.serialize(loading);
  EXPECT_TRUE(control.idle_step(due).present());
}

// A refresh is postponed up to the limit, but two are never more than nine intervals apart (DDR5:
// five), including the time to close all banks of the channel.
TEST(RefreshControl, TheLongestGapLeavesTimeToCloseAllBanks) {
  struct Part {
    const char* preset;
    int most;  // most refreshes that may be postponed
  };
  for (const Part& part : {Part{"ddr3_1600k_4gb_x8", 8}, Part{"ddr4_2400t_8gb_x8", 8},
                           Part{"ddr5_4800b_16gb_x8", 4}}) {
    for (const std::int64_t ranks : {1, 2}) {
      for (int postponed = 0; postponed <= part.most; ++postponed) {
        SCOPED_TRACE(std::string(part.preset) + ", " + std::to_string(ranks) + ", " +
                     std::to_string(postponed));
        Refreshed refreshed({{"dram.preset", part.preset},
                             {"dram.ranks", std::to_string(ranks)},
                             {"dram.refresh_postpone", std::to_string(postponed)}});
        const DramTiming& timing = refreshed.dram.timing;
        const std::int64_t a_bank =
            timing.trc + timing.cl + timing.cwl + timing.burst + timing.twr + timing.trp;
        const std::int64_t to_close = a_bank + 2 * ranks * refreshed.dram.organisation.banks;
        const Cycle longest((part.most + 1) * timing.trefi - to_close);
        const Cycle due(timing.trefi / ranks);
        const Cycle late(postponed * timing.trefi);
        EXPECT_EQ(refreshed.control.urgent_from(0), earlier(due + late, longest));
        const Cycle first = due + late / 2;
        refreshed.control.refreshed(0, first);
        EXPECT_EQ(refreshed.control.urgent_from(0),
                  earlier(due + Cycle(timing.trefi) + late, first + longest));
      }
    }
  }
}

// Regardless of the other refresh parameters.
TEST(RefreshControl, WithoutRefreshesNoneIsScheduled) {
  for (const Assignments& more :
       {Assignments{}, Assignments{{"dram.refresh_postpone", "8"}},
        Assignments{{"dram.refresh_pull_in", "8"}},
        Assignments{{"dram.refresh_postpone", "3"}, {"dram.refresh_pull_in", "2"}}}) {
    const Assignments off = with(more, {{"dram.refresh", "false"}, {"dram.ranks", "2"}});
    Refreshed refreshed(off);
    EXPECT_FALSE(refreshed.control.elastic());
    EXPECT_EQ(refreshed.control.next(Cycle(0)), kNeverCycle);
    EXPECT_EQ(refreshed.control.urgent_from(0), kNeverCycle);
    ChannelUnderTest channel(with(kDramOnly, off));
    channel.send(MemoryClass::dram, channel.dram(3, 1, 0, 1));
    channel.run_to(Cycle(100'000));
    EXPECT_EQ(channel.finished_.size(), 1u);
    EXPECT_EQ(channel.log_.size(), 2u);  // ACT, RD
    EXPECT_EQ(channel.kernel_.next_event(), kNever);
  }
}

// Side 1 has a write for a rank under refresh; requests that waited before loading no longer count.
TEST(WriteDrain, ALoadedStateHasNoRequests) {
  for (const std::size_t side : {0, 1}) {
    Refreshed refreshed(Assignments{{"dram.ranks", "2"}});
    ControllerParameters controller;
    WriteDrain drain(controller, refreshed.dram, refreshed.control);
    Archive saving;
    drain.serialize(saving);
    const std::int32_t bank = static_cast<std::int32_t>(refreshed.dram.organisation.banks);
    drain.count_waiting(1, bank, side, 1);
    Archive loading(saving.bytes());
    drain.serialize(loading);
    refreshed.control.refreshed(0, Cycle(100));
    drain.count_waiting(0, 0, 1 - side, 1);
    EXPECT_EQ(drain.choose(Direction::by_watermark, Cycle(101)), 1 - side);
  }
}

// The second refresh is due at 2 tREFI and postponed to 10 tREFI, when its banks are closed first.
// A run that ends then has postponed no refresh too far.
TEST(RefreshControl, ARunMayEndWhileTheBanksOfAPostponedRefreshAreClosed) {
  ChannelUnderTest channel(with(kDramOnly, {{"dram.ranks", "1"}, {"dram.refresh_postpone", "8"}}));
  const auto send = [&] { channel.send(MemoryClass::dram, channel.dram(0, 0, 0)); };
  channel.on_done = [&](const Request&) { send(); };
  send();
  send();
  channel.run_to(Cycle(10 * channel.config_.dram.timing.trefi));
  EXPECT_EQ(std::count_if(
                channel.log_.begin(), channel.log_.end(),
                [](const CommandRecord& each) { return each.command == ChannelCommand::refresh; }),
            1);
}

}  // namespace
}  // namespace hmsim::testing
