// SPDX-License-Identifier: BSD-3-Clause
// In which order do bursts end?
#include "controller/channel/finish_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace hmsim::testing {
namespace {

// Transactions whose data-bus command is issued, by slot.
class Bursts {
 public:
  explicit Bursts(const std::vector<Cycle>& ends) : pool_(ends.size()) {
    for (std::size_t slot = 0; slot < ends.size(); ++slot) {
      Transaction& burst = pool_.take();
      burst.begin(Request(), Cycle(0));
      burst.request.id = slot;
      burst.state = TransactionState::transfer;
      burst.finishes = ends[slot];
    }
  }
  std::vector<Transaction*> held() { return pool_.held(); }

 private:
  TransactionPool pool_;
};

// Returns the slots in the order in which a queue restores them.
std::vector<std::uint32_t> restored(const std::vector<Cycle>& ends, bool several_buses) {
  Bursts bursts(ends);
  FinishQueue queue(several_buses);
  queue.restore(bursts.held());
  std::vector<std::uint32_t> order;
  while (!queue.empty()) {
    order.push_back(queue.pop().slot);
  }
  EXPECT_EQ(queue.next(), kNeverCycle);
  return order;
}

using Slots = std::vector<std::uint32_t>;

TEST(FinishQueue, RestoredBurstsEndInOrder) {
  for (const bool several_buses : {false, true}) {
    EXPECT_EQ(restored({Cycle(30), Cycle(11), Cycle(20)}, several_buses), (Slots{1, 2, 0}));
  }
}

TEST(FinishQueue, BurstsMayEndTogetherOnSeveralBusesOnly) {
  const std::vector<Cycle> ends{Cycle(20), Cycle(11), Cycle(20), Cycle(11)};
  EXPECT_EQ(restored(ends, true), (Slots{1, 3, 0, 2}));
  EXPECT_THROW(restored(ends, false), Fault);
}

}  // namespace
}  // namespace hmsim::testing
