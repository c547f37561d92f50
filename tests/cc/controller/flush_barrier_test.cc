// SPDX-License-Identifier: BSD-3-Clause
// Which requests wait for a flush, and which requests does a flush wait for?
#include "controller/channel/flush_barrier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"

namespace hmsim::testing {
namespace {

// Model: all unfinished requests in order of arrival. A flush waits for all before it, and every
// request waits for the flushes before it.
class ModelOfBarriers {
 public:
  struct Entry {
    std::uint32_t slot;
    bool flush;
  };

  bool bars(std::uint32_t slot, bool flush) {
    const bool barred = flush || any_flush();
    all_.push_back({slot, flush});
    return barred;
  }
  // The requests that may proceed or have proceeded: those before the first flush.
  std::vector<std::uint32_t> free() const {
    std::vector<std::uint32_t> slots;
    for (auto each = all_.begin(); each != all_.end() && !each->flush; ++each) {
      slots.push_back(each->slot);
    }
    return slots;
  }
  bool any_flush() const {
    return std::any_of(all_.begin(), all_.end(), [](const Entry& each) { return each.flush; });
  }
  bool flush_is_due() const { return !all_.empty() && all_.front().flush; }
  std::uint32_t first() const { return all_.front().slot; }
  void done(std::uint32_t slot) {
    all_.erase(std::find_if(all_.begin(), all_.end(),
                            [slot](const Entry& each) { return each.slot == slot; }));
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<Entry> all_;
};

constexpr std::size_t kSlots = 12;

Transaction& taken(TransactionPool& pool, bool flush) {
  Request request;
  request.memory = MemoryClass::nvdimm;
  request.flush = flush;
  Transaction& transaction = pool.take();
  transaction.begin(request, Cycle(0));
  return transaction;
}

TEST(FlushBarrier, FreesRequestsWithoutEarlierFlushAndSendsAFlushWithoutEarlierRequest) {
  TransactionPool pool(kSlots);
  FlushBarrier barrier;
  ModelOfBarriers model;
  Random random(4);
  bool sent = false;
  int flushes = 0;
  for (int step = 0; step < 5'000; ++step) {
    if (model.size() < kSlots && random.below(2) == 0) {
      const bool flush = random.below(4) == 0;
      Transaction& transaction = taken(pool, flush);
      ASSERT_EQ(barrier.bars(transaction), model.bars(transaction.slot, flush));
    } else if (sent) {
      ASSERT_EQ(barrier.sent(pool), &pool[model.first()]);
      barrier.acknowledged();
      ASSERT_EQ(barrier.sent(pool), nullptr);
      ASSERT_EQ(barrier.ended(pool), &pool[model.first()]);
      ASSERT_EQ(barrier.next(pool), nullptr) << "not before it has passed everywhere";
      barrier.pass();
      ASSERT_EQ(&barrier.lift(pool), &pool[model.first()]);
      pool.release(pool[model.first()]);
      model.done(model.first());
      sent = false;
      ++flushes;
      std::vector<std::uint32_t> freed;
      while (const Transaction* const next = barrier.next(pool)) {
        freed.push_back(next->slot);
      }
      ASSERT_EQ(freed, model.free());
    } else if (const std::vector<std::uint32_t> free = model.free(); !free.empty()) {
      const std::uint32_t slot = free[random.below(free.size())];
      barrier.done();
      pool.release(pool[slot]);
      model.done(slot);
    }
    ASSERT_EQ(barrier.active(), model.any_flush());
    Transaction* const due = barrier.due(pool);
    ASSERT_EQ(due != nullptr, model.flush_is_due() && !sent) << "once";
    if (due != nullptr) {
      ASSERT_EQ(due->slot, model.first());
      sent = true;
    }
    ASSERT_EQ(barrier.sent(pool) != nullptr, sent);
  }
  EXPECT_GT(flushes, 100);
}

// A barrier that bars a flush and a write after it; another write is before them.
struct Barred {
  Barred() {
    for (Transaction* const each : {&flush, &behind}) {
      each->state = TransactionState::barred;
      barrier.bars(*each);
    }
  }
  std::string saved() {
    Archive archive;
    barrier.serialize(archive, pool, 1);
    return archive.bytes();
  }

  TransactionPool pool{4};
  Transaction& before = taken(pool, false);
  Transaction& flush = taken(pool, true);
  Transaction& behind = taken(pool, false);
  FlushBarrier barrier;
};

TEST(FlushBarrier, ALoadedFlushIsSentAfterAllEarlierRequests) {
  Barred rig;
  rig.barrier.done();
  ASSERT_EQ(rig.barrier.due(rig.pool), &rig.flush);
  Archive saved;
  rig.barrier.serialize(saved, rig.pool, 0);
  FlushBarrier loaded;
  Archive loading(saved.bytes());
  loaded.serialize(loading, rig.pool, 0);
  EXPECT_EQ(loaded.sent(rig.pool), &rig.flush);
  EXPECT_EQ(loaded.due(rig.pool), nullptr) << "it was sent";
}

// The number of requests in front is not in the file; the caller derives it.
TEST(FlushBarrier, ALoadedFlushWaitsForEarlierRequests) {
  Barred rig;
  FlushBarrier loaded;
  Archive archive(rig.saved());
  loaded.serialize(archive, rig.pool, 1);
  EXPECT_EQ(loaded.due(rig.pool), nullptr);
  loaded.done();
  EXPECT_EQ(loaded.due(rig.pool), &rig.flush);
}

}  // namespace
}  // namespace hmsim::testing
