// SPDX-License-Identifier: BSD-3-Clause
// Which transactions may the NVDIMM acknowledge, and which of those that are ready goes first?
#include "controller/channel/nvdimm_endpoint.h"

#include <gtest/gtest.h>

#include "dram/standard.h"
#include "dram/timing_engine.h"

namespace hmsim::testing {
namespace {

// Those whose command was sent, and which have no ack yet; a flush stays barred until it ends.
TEST(NvdimmEndpoint, OnlyWhatWasSentAwaitsAnAck) {
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

// Two reads of one pseudo-bank, of which the one that goes first may not have the bus yet.
TEST(NvdimmEndpoint, WhatGoesFirstByNewKeysIsNotHeldUpByWhatDidBefore) {
  DramParameters dram;
  dram.resolve();
  const int rank = static_cast<int>(dram.ranks);
  const int banks = static_cast<int>(dram.organisation.banks);
  TimingEngine engine{timing_rules(dram), rank + 1, static_cast<int>(dram.organisation.groups),
                      banks};
  const NvdimmTiming timing(engine, &engine, rank, rank * banks, Cycle(0));
  const PseudoBanks pseudo_banks({NvdimmParameters()});
  TransactionPool pool(4);
  NvdimmEndpoint endpoint(pseudo_banks, 4, false, timing, pool);
  constexpr Cycle kNow{1'000};
  const auto ready = [&](std::uint64_t key, Cycle from) -> Transaction& {
    Transaction& read = pool.take();
    Request request;
    request.id = key;
    request.memory = MemoryClass::nvdimm;
    read.begin(request, Cycle(0));
    read.rank = rank;
    read.row = static_cast<std::int64_t>(key);
    read.key_miss = read.key_hit = key;
    read.state = TransactionState::ready;
    endpoint.insert_ready(read, from);
    return read;
  };
  Transaction& second = ready(1, kNow);
  ready(2, kNow + Cycle(100));
  EXPECT_EQ(endpoint.select_burst(kNow), nullptr);
  EXPECT_EQ(endpoint.next(kNow), kNow + Cycle(100));
  second.key_miss = second.key_hit = 3;
  endpoint.rebuild();
  EXPECT_EQ(endpoint.next(kNow), kNow);
  EXPECT_EQ(endpoint.select_burst(kNow), &second);
}

}  // namespace
}  // namespace hmsim::testing
