// SPDX-License-Identifier: BSD-3-Clause
// The oracle without interference: each class behaves as if it were alone.
#include <gtest/gtest.h>

#include "check/protocol_checker.h"
#include "controller/memory_system.h"
#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

enum class Traffic { both, dram, nvdimm };

// Returns the commands of one class in a memory system with the given traffic at fixed times.
std::vector<CommandRecord> commands(MemoryClass memory, Traffic traffic, const Assignments& more) {
  struct Log final : public Requester, public CommandObserver {
    void on_complete(const Request& /*request*/, Tick /*now*/) override { ++completed; }
    void on_command(const CommandRecord& record) override {
      if ((record.command > ChannelCommand::refresh) == (wanted == MemoryClass::nvdimm)) {
        log.push_back(record);
      }
    }
    MemoryClass wanted = MemoryClass::dram;
    int completed = 0;
    std::vector<CommandRecord> log;
  } seen;
  seen.wanted = memory;
  const SystemConfig config =
      make_config(with(with(kSmallNvdimm, more), {{"controller.queues", "split"}}));
  Kernel kernel;
  MemorySystem system(config, kernel, 1);
  ProtocolChecker checker(config);
  system.set_requesters({&seen});
  system.add_observer(seen);
  system.add_observer(checker);
  Random random(9);
  int sent = 0;
  for (int i = 0; i < 2'000; ++i) {
    Request request;
    request.memory = random.below(2) == 0 ? MemoryClass::dram : MemoryClass::nvdimm;
    request.write = random.below(3) == 0;
    request.address = Address(static_cast<std::int64_t>(
        random.below(request.memory == MemoryClass::dram ? 1 << 20 : 1 << 10) * 64));
    if (traffic == Traffic::both ||
        (traffic == Traffic::dram) == (request.memory == MemoryClass::dram)) {
      system.send(request, kernel.now());
      ++sent;
    }
    // Between edges, where the order of components does not matter.
    kernel.run_until(Tick(6'001) * i);
  }
  while (!system.idle() && kernel.step(kSecond)) {
  }
  checker.finish(kernel.now(), true);
  checker.raise_if_violated();
  EXPECT_EQ(seen.completed, sent);
  return seen.log;
}

void expect_alike(const std::vector<CommandRecord>& one, const std::vector<CommandRecord>& other) {
  // A run lasts as long as its slower class, so one may have more refreshes at its end.
  const std::size_t both = std::min(one.size(), other.size());
  ASSERT_GT(both, 900U);
  for (std::size_t i = 0; i < both; ++i) {
    ASSERT_EQ(one[i].cycle, other[i].cycle) << "command " << i;
    ASSERT_EQ(one[i].command, other[i].command) << "command " << i;
    ASSERT_EQ(one[i].bank, other[i].bank) << "command " << i;
    ASSERT_EQ(one[i].row, other[i].row) << "command " << i;
  }
}

TEST(PrivateBus, EachClassRunsAsIfAlone) {
  const Assignments apart{{"controller.bus", "private"}};
  expect_alike(commands(MemoryClass::dram, Traffic::both, apart),
               commands(MemoryClass::dram, Traffic::dram, {}));
  // Alone on a shared bus, except for refreshes, which take command-bus slots.
  expect_alike(commands(MemoryClass::nvdimm, Traffic::both, apart),
               commands(MemoryClass::nvdimm, Traffic::nvdimm, {{"dram.refresh", "false"}}));
}

TEST(PrivateBus, HoldsForSeveralChannels) {
  const Assignments apart{{"controller.bus", "private"}, {"controller.channels", "2"}};
  expect_alike(commands(MemoryClass::dram, Traffic::both, apart),
               commands(MemoryClass::dram, Traffic::dram, {{"controller.channels", "2"}}));
}

TEST(PrivateBus, TrimsReachTheNvdimms) {
  for (const char* const channels : {"1", "2"}) {
    Kernel kernel;
    MemorySystem system(make_config(with(kSmallNvdimm, {{"controller.queues", "split"},
                                                        {"controller.bus", "private"},
                                                        {"controller.channels", channels},
                                                        {"nvdimm.precondition.fill", "1"}})),
                        kernel, 1);
    StatisticRegistry registry;
    system.register_statistics(registry);
    EXPECT_EQ(system.trim(Address(kPageBytes.value()), 5 * kPageBytes, Tick(0)), 5);
    EXPECT_EQ(statistic_of(registry, "nvdimm.ftl.trimmed_pages").count, 5u);
  }
}

TEST(PrivateBus, NeedsTwoQueuesAndAnNvdimm) {
  EXPECT_THROW(make_config({{"controller.bus", "private"}}), InputError);
  EXPECT_THROW(
      make_config(keys_from("controller.bus=private controller.queues=split nvdimm.present=false")),
      InputError);
}

}  // namespace
}  // namespace hmsim::testing
