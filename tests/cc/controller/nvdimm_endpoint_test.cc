// SPDX-License-Identifier: BSD-3-Clause
// Which transactions may the NVDIMM acknowledge, and which ready one goes first?
#include "controller/channel/nvdimm_endpoint.h"

#include <gtest/gtest.h>

#include "dram/standard.h"
#include "dram/timing_engine.h"

namespace hmsim::testing {
namespace {

// Transactions whose command was sent and that have no ack yet. A flush stays barred until it ends.
TEST(NvdimmEndpoint, OnlySentCommandsAwaitAnAck) {
  const auto awaits = [](bool flush, TransactionState state, bool started,
                         MemoryClass memory = MemoryClass::nvdimm) {
    Transaction transaction;
    transaction.request.memory = memory;
    transaction.request.flush = flush;
    transaction.state = state;
    transaction.started = started;
    return NvdimmEndpoint::awaits_ack(transaction);
  };
  using State = TransactionState;
  EXPECT_TRUE(awaits(true, State::barred, true));
  EXPECT_FALSE(awaits(true, State::barred, false)) << "its turn is still to come";
  EXPECT_TRUE(awaits(false, State::waiting, false));
  for (const State state : {State::barred, State::held, State::withheld, State::staged,
                            State::queued, State::ready, State::transfer}) {
    EXPECT_FALSE(awaits(false, state, false)) << static_cast<int>(state);
  }
  EXPECT_FALSE(awaits(false, State::waiting, false, MemoryClass::dram));
}

constexpr Cycle kNow{1'000};

// One NVDIMM next to DRAM. All transactions are to one pseudo-bank, each to another page.
struct EndpointRig {
  explicit EndpointRig(std::int64_t outstanding_limit = 4, bool posts_writes = false)
      : endpoint(pseudo_banks, outstanding_limit, posts_writes, timing, pool) {}

  static DramParameters resolved() {
    DramParameters dram;
    dram.resolve();
    return dram;
  }
  Transaction& transaction(std::uint64_t key, bool write = false) {
    Transaction& taken = pool.take();
    Request request;
    request.id = key;
    request.memory = MemoryClass::nvdimm;
    request.write = write;
    taken.begin(request, Cycle(0));
    taken.rank = rank;
    taken.row = static_cast<std::int64_t>(key);
    taken.key_miss = taken.key_hit = key;
    return taken;
  }
  Transaction& queued(std::uint64_t key, bool write = false) {
    Transaction& taken = transaction(key, write);
    endpoint.insert(taken);
    return taken;
  }
  Transaction& ready(std::uint64_t key, Cycle from) {
    Transaction& read = transaction(key);
    read.state = TransactionState::ready;
    endpoint.insert_ready(read, from);
    return read;
  }

  const DramParameters dram = resolved();
  const int rank = static_cast<int>(dram.ranks);
  const int banks = static_cast<int>(dram.organisation.banks);
  TimingEngine engine{timing_rules(dram), rank + 1, static_cast<int>(dram.organisation.groups),
                      banks};
  const NvdimmTiming timing{engine, &engine, rank, rank* banks, dram.timing};
  const PseudoBanks pseudo_banks{{NvdimmParameters()}};
  TransactionPool pool{8};
  NvdimmEndpoint endpoint;
};

// Two reads of one pseudo-bank; the first in order may not have the bus yet.
TEST(NvdimmEndpoint, NewKeysReplaceTheFormerLeader) {
  EndpointRig rig;
  NvdimmEndpoint& endpoint = rig.endpoint;
  Transaction& second = rig.ready(1, kNow);
  rig.ready(2, kNow + Cycle(100));
  EXPECT_EQ(endpoint.select_burst(kNow), nullptr);
  EXPECT_EQ(endpoint.next(kNow), kNow + Cycle(100));
  second.key_miss = second.key_hit = 3;
  endpoint.rebuild();
  EXPECT_EQ(endpoint.next(kNow), kNow);
  EXPECT_EQ(endpoint.select_burst(kNow), &second);
}

// A read and a write that compete, a command without ack, and a read that may have the data bus.
TEST(NvdimmEndpoint, AfterLoadingNothingCompetes) {
  EndpointRig rig(1, true);
  NvdimmEndpoint& endpoint = rig.endpoint;
  Archive saved;
  endpoint.serialize(saved);
  endpoint.command_sent(rig.queued(1));
  rig.queued(2);
  rig.queued(3, true);
  rig.ready(4, kNow);
  ASSERT_TRUE(endpoint.active());
  ASSERT_FALSE(endpoint.may_send()) << "one at a time";
  ASSERT_TRUE(endpoint.wants_credit());
  ASSERT_EQ(endpoint.next(kNow), kNow);

  Archive loaded(saved.bytes());
  endpoint.serialize(loaded);
  EXPECT_FALSE(endpoint.active());
  EXPECT_FALSE(endpoint.wants_credit());
  EXPECT_FALSE(endpoint.may_act(kNow));
  EXPECT_EQ(endpoint.next(kNow), kNeverCycle);
  EXPECT_EQ(endpoint.select_burst(kNow), nullptr);
  Transaction& sent = rig.queued(5);
  EXPECT_TRUE(endpoint.may_send()) << "no command is without ack";
  EXPECT_EQ(&endpoint.select_command(), &sent);
}

}  // namespace
}  // namespace hmsim::testing
