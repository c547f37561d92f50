// SPDX-License-Identifier: BSD-3-Clause
// Which transactions may the NVDIMM acknowledge, and which of those that are ready goes first?
#include "controller/channel/nvdimm_endpoint.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/errors.h"
#include "core/kernel.h"
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

constexpr Cycle kNow{1'000};

// Of one NVDIMM beside DRAM. Its transactions are of one pseudo-bank, and of a page each.
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
  const NvdimmTiming timing{engine, &engine, rank, rank* banks, Cycle(0)};
  const PseudoBanks pseudo_banks{{NvdimmParameters()}};
  TransactionPool pool{8};
  NvdimmEndpoint endpoint;
};

// Two reads of one pseudo-bank, of which the one that goes first may not have the bus yet.
TEST(NvdimmEndpoint, WhatGoesFirstByNewKeysIsNotHeldUpByWhatDidBefore) {
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

// An endpoint, and a module whose commands are made behind its back.
class EndpointAndModule final : public EndpointRig, public AckListener {
 public:
  EndpointAndModule() : module(make(*this)) {
    module->attach(kernel, Wakeup(kernel, kernel.attach(*module)));
  }
  void on_ack(std::uint32_t tag, Tick /*now*/) override { acknowledged = tag; }

  // The module has this command; on line `line`, unlike those of other numbers.
  void command(std::uint32_t tag, std::int64_t line, bool write = false) {
    module->command(tag, Address(line * 64), write, kernel.now());
  }
  void finish_commands() { kernel.run_until(kernel.now() + 1'000 * kMicrosecond); }
  Transaction& sent(std::int64_t line, bool write = false) {
    Transaction& taken = transaction(static_cast<std::uint64_t>(line), write);
    taken.local = Address(line * 64);
    taken.state = TransactionState::waiting;
    return taken;
  }
  bool fit() const {
    try {
      endpoint.check_module(Archive(std::string()), *module);
    } catch (const InputError&) {
      return false;
    }
    return true;
  }

  Kernel kernel;
  std::unique_ptr<NvdimmModule> module;
  std::uint32_t acknowledged = ~std::uint32_t{0};

 private:
  static std::unique_ptr<NvdimmModule> make(AckListener& host) {
    const NvdimmParameters parameters;
    return design_of(parameters.kind).make(parameters, host, 1, {});
  }
};

TEST(EndpointAndModule, FitWhereBothHaveTheSameCommands) {
  EndpointAndModule rig;
  EXPECT_TRUE(rig.fit()) << "none";
  rig.command(rig.sent(3).slot, 3);
  EXPECT_TRUE(rig.fit());
  rig.command(rig.sent(70, true).slot, 70, true);
  EXPECT_TRUE(rig.fit());
  rig.queued(9);
  EXPECT_TRUE(rig.fit()) << "one that is not sent yet";
}

TEST(EndpointAndModule, DoNotFitWhereOneHasACommandMore) {
  EndpointAndModule host;
  host.sent(3);
  EXPECT_FALSE(host.fit());
  EndpointAndModule module;
  module.command(0, 3);
  EXPECT_FALSE(module.fit()) << "no request has this slot";
  EndpointAndModule queued;
  queued.command(queued.queued(3).slot, 3);
  EXPECT_FALSE(queued.fit()) << "it was not sent";
  EndpointAndModule dram;
  Transaction& other = dram.transaction(3);
  other.request.memory = MemoryClass::dram;
  dram.command(other.slot, 3);
  EXPECT_FALSE(dram.fit());
}

TEST(EndpointAndModule, DoNotFitWhereACommandIsAnother) {
  EndpointAndModule elsewhere;
  elsewhere.command(elsewhere.sent(3).slot, 4);
  EXPECT_FALSE(elsewhere.fit());
  EndpointAndModule write;
  write.command(write.sent(3, false).slot, 3, true);
  EXPECT_FALSE(write.fit());
}

// Ready in the module: its ack is under way, or it is ready for the host too, or has its burst.
TEST(EndpointAndModule, FitWhereBothKnowOfTheAck) {
  using State = TransactionState;
  for (const State state : {State::waiting, State::ready, State::transfer}) {
    EndpointAndModule rig;
    Transaction& transaction = rig.sent(3);
    rig.command(transaction.slot, 3);
    transaction.state = state;
    EXPECT_EQ(rig.fit(), state == State::waiting) << "it is not ready";
    rig.finish_commands();
    ASSERT_EQ(rig.acknowledged, transaction.slot);
    EXPECT_EQ(rig.fit(), state != State::waiting);
    rig.endpoint.raise_ack(transaction);
    EXPECT_TRUE(rig.fit());
  }
}

TEST(EndpointAndModule, DoNotFitWhereNothingIsToBeAcknowledged) {
  EndpointAndModule rig;
  rig.endpoint.raise_ack(rig.queued(3));
  EXPECT_FALSE(rig.fit());
}

// A flush stays barred, sent or not: the module knows.
TEST(EndpointAndModule, FitWhileAFlushIsUnderWay) {
  EndpointAndModule rig;
  Transaction& flush = rig.transaction(3);
  flush.request.flush = true;
  flush.state = TransactionState::barred;
  EXPECT_TRUE(rig.fit());
  rig.module->flush(flush.slot, rig.kernel.now());
  EXPECT_TRUE(rig.fit());
  rig.finish_commands();
  ASSERT_EQ(rig.acknowledged, flush.slot);
  EXPECT_FALSE(rig.fit()) << "its ack is missing";
  rig.endpoint.raise_ack(flush);
  EXPECT_TRUE(rig.fit());
}

}  // namespace
}  // namespace hmsim::testing
