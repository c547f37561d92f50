// SPDX-License-Identifier: BSD-3-Clause
// Which transactions may the NVDIMM acknowledge?
#include "controller/channel/nvdimm_endpoint.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hmsim::testing
