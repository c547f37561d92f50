// SPDX-License-Identifier: BSD-3-Clause
// Which transactions are overdue, and when? Compares a guard with a model that searches all waiting
// transactions, and with a guard restored from a checkpoint.
#include "controller/channel/starvation_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/random.h"

namespace hmsim::testing {
namespace {

constexpr std::size_t kSlots = 12;

// All waiting transactions in a plain list.
class Model {
 public:
  struct Waiting {
    const Transaction* transaction;
    std::size_t queue;
    Cycle due;
    std::size_t number;  // order of admission
  };

  std::vector<Waiting> waiting;                                         // not overdue
  std::array<std::vector<const Transaction*>, kMemoryClasses> overdue;  // in order

  std::vector<Waiting>::const_iterator first() const {
    return std::min_element(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
      return a.due != b.due       ? a.due < b.due
             : a.queue != b.queue ? a.queue < b.queue
                                  : a.number < b.number;
    });
  }
};

class GuardTest : public ::testing::TestWithParam<bool> {};

// Ids are not in order of admission: a request to the NVDIMM that waits for a flush is due later
// than younger ones.
TEST_P(GuardTest, TakesOverdueRequestsAlsoAfterLoading) {
  const bool split = GetParam();
  const std::array<Cycle, 2> limits{Cycle(60), Cycle(95)};
  const auto queue_of = [split](MemoryClass memory) {
    return static_cast<std::size_t>(split && memory == MemoryClass::nvdimm ? 1 : 0);
  };
  const auto make = [&] {
    StarvationGuard guard(kSlots);
    EXPECT_FALSE(guard.active());
    for (std::size_t queue = 0; queue < (split ? 2u : 1u); ++queue) {
      guard.limit(queue, limits[queue]);
    }
    EXPECT_TRUE(guard.active());
    return guard;
  };
  StarvationGuard guard = make();
  Model model;
  std::vector<Transaction> slots(kSlots);
  std::vector<std::uint32_t> free;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    slots[slot].slot = slot;
    free.push_back(slot);
  }
  Random random(split ? 3 : 4);
  std::size_t admissions = 0;
  std::uint64_t ids = 1000;
  int overdue = 0;
  const auto leave = [&](std::uint32_t slot) {
    slots[slot].state = TransactionState::transfer;
    free.push_back(slot);
  };
  for (Cycle now{0}; now < Cycle(6000); ++now) {
    while (guard.next() <= now) {
      const auto first = model.first();
      ASSERT_NE(first, model.waiting.end());
      ASSERT_LE(first->due, now);
      const std::uint32_t slot = guard.take();
      ASSERT_EQ(slot, first->transaction->slot) << now.value();
      slots[slot].overdue = true;
      model.overdue[static_cast<std::size_t>(slots[slot].request.memory)].push_back(&slots[slot]);
      model.waiting.erase(first);
      ++overdue;
    }
    if (!free.empty() && random.below(6) == 0) {
      const std::uint32_t slot = free.front();
      free.erase(free.begin());
      Transaction& fresh = slots[slot];
      fresh.request.id = random.below(3) == 0 ? ids - 900 : ids;
      ++ids;
      fresh.request.memory = random.below(2) == 0 ? MemoryClass::dram : MemoryClass::nvdimm;
      fresh.state = TransactionState::queued;
      fresh.overdue = false;
      fresh.view = RequestView();
      fresh.view.slot = slot;
      fresh.view.id = fresh.request.id;
      fresh.view.memory = fresh.request.memory;
      const std::size_t queue = queue_of(fresh.request.memory);
      guard.admit(fresh.view, queue, now);
      model.waiting.push_back({&fresh, queue, now + limits[queue], admissions++});
    }
    if (!model.waiting.empty() && random.below(12) == 0) {
      const auto issued =
          model.waiting.begin() + static_cast<std::ptrdiff_t>(random.below(model.waiting.size()));
      guard.issued(*issued->transaction, issued->queue);
      leave(issued->transaction->slot);
      model.waiting.erase(issued);
    }
    for (auto& of_class : model.overdue) {
      if (!of_class.empty() && random.below(20) == 0) {
        const auto issued =
            of_class.begin() + static_cast<std::ptrdiff_t>(random.below(of_class.size()));
        guard.issued(**issued, queue_of((*issued)->request.memory));
        leave((*issued)->slot);
        of_class.erase(issued);
      }
    }
    ASSERT_EQ(guard.next(), model.waiting.empty() ? kNeverCycle : model.first()->due);
    for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
      const auto& of_class = model.overdue[static_cast<std::size_t>(memory)];
      ASSERT_EQ(guard.oldest_overdue(memory),
                of_class.empty() ? StarvationGuard::kNone : of_class.front()->slot);
    }
    ASSERT_EQ(guard.any_overdue(), !model.overdue[0].empty() || !model.overdue[1].empty());
    if (random.below(10) == 0) {
      Archive saving;
      guard.serialize(saving);
      StarvationGuard loaded = make();
      Archive loading(saving.bytes());
      loaded.serialize(loading);
      std::vector<Transaction*> held;  // in order of their requests, including issued ones
      for (Transaction& each : slots) {
        if (each.request.id != 0) {
          held.push_back(&each);
        }
      }
      std::sort(held.begin(), held.end(), [](const Transaction* a, const Transaction* b) {
        return a->request.id < b->request.id;
      });
      loaded.restore(loading, held, queue_of);
      guard = std::move(loaded);
    }
  }
  EXPECT_GT(overdue, 50);
}

INSTANTIATE_TEST_SUITE_P(Each, GuardTest, ::testing::Bool());

TEST(StarvationGuard, IsActiveForAnyOfItsQueues) {
  for (const std::size_t queue : {0, 1}) {
    StarvationGuard guard(kSlots);
    guard.limit(queue, kNeverCycle);
    EXPECT_FALSE(guard.active());
    guard.limit(queue, Cycle(5));
    EXPECT_TRUE(guard.active());
  }
}

// Loading discards earlier waiting transactions.
TEST(StarvationGuard, ALoadedStateHasNoWaitingRequests) {
  StarvationGuard guard(kSlots);
  guard.limit(0, Cycle(5));
  guard.admit(RequestView{}, 0, Cycle(1));
  ASSERT_EQ(guard.next(), Cycle(6));
  guard.restore(Archive(""), {}, [](MemoryClass) { return std::size_t{0}; });
  EXPECT_EQ(guard.next(), kNeverCycle);
}

}  // namespace
}  // namespace hmsim::testing
