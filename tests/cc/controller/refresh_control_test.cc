// SPDX-License-Identifier: BSD-3-Clause
// Until when is something refreshed?
#include <gtest/gtest.h>

#include <array>

#include "controller/channel/native_banks.h"
#include "controller/channel/refresh.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"

namespace hmsim {
namespace {

// A refresh of each of two ranks, the second before the first is over.
TEST(RefreshControl, IsBusyBeforeTheEndsOfItsRefreshesAndNotAtThem) {
  DramParameters dram;
  dram.ranks = 2;
  dram.resolve();
  TransactionPool pool{4};
  TimingEngine engine{timing_rules(dram), static_cast<int>(dram.ranks) + 2,
                      static_cast<int>(dram.organisation.groups),
                      static_cast<int>(dram.organisation.banks)};
  NativeBanks banks{dram, engine, pool};
  RefreshControl control(dram, engine, banks);
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

}  // namespace
}  // namespace hmsim
