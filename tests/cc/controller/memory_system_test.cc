// SPDX-License-Identifier: BSD-3-Clause
// Does a memory system reach each of its NVDIMMs exactly once?
#include "controller/memory_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/memory_rig.h"

namespace hmsim::testing {
namespace {

TEST(MemorySystem, AFlushDoesNotWaitIfNoRequestIsQueued) {
  for (const char* present : {"true", "false"}) {
    EXPECT_FALSE(Memory({{"controller.channels", "2"}, {"nvdimm.present", present}})
                     .memory.flush_would_wait());
  }
}

TEST(MemorySystem, CountersBeginAtZero) {
  Memory memory(
      with(kWritten, {{"nvdimm.precondition.fill", "0"}, {"nvdimm.precondition.overwrite", "0"}}));
  StatisticRegistry registry;
  memory.memory.register_statistics(registry);
  int counters = 0;
  for (const Statistic& statistic : registry.read()) {
    counters += statistic.kind == StatisticKind::counter ? 1 : 0;
    EXPECT_EQ(statistic.count, 0u) << statistic.path;
  }
  EXPECT_GT(counters, 50);
}

// Core 0 has had less service than core 1 from the first channel, and more from both together.
// ATLAS must rank by the sum in each channel.
TEST(MemorySystem, SchedulersOfItsChannelsAreConnected) {
  struct Ended final : Requester {
    void on_complete(const Request& request, Tick) override { sources.push_back(request.source); }
    std::vector<int> sources;
  } ended;
  Memory memory(
      with(kDramOnly, keys_from("controller.channels=2 controller.scheduler=atlas "
                                "policies.atlas.sources=core policies.atlas.quantum=100us")));
  memory.memory.set_requesters({&ended});
  std::uint64_t sent = 0;
  const auto send = [&](int source, std::int64_t channel, std::int64_t line) {
    Request request;
    request.id = sent++;
    request.source = static_cast<std::uint16_t>(source);
    request.address = Address((2 * line + channel) * kLineBytes.value());
    request.arrival = memory.kernel.now();
    memory.memory.send(request, memory.kernel.now());
  };
  constexpr std::int64_t kFar = 1 << 13;  // lines; selects another row
  for (std::int64_t i = 0; i < 10; ++i) {
    send(0, 0, i * kFar);
    for (int more = 0; more < 4; ++more) {
      send(1, 0, (10 + 4 * i + more) * kFar);
    }
    for (int more = 0; more < 6; ++more) {
      send(0, 1, (6 * i + more) * kFar);
    }
  }
  memory.kernel.run_until(100 * kMicrosecond);
  ASSERT_EQ(ended.sources.size(), sent);
  for (const std::int64_t channel : {0, 1}) {
    ended.sources.clear();
    for (std::int64_t i = 0; i < 4; ++i) {
      send(0, channel, (100 + i) * kFar);
    }
    send(1, channel, 104 * kFar);
    memory.kernel.run_until(memory.kernel.now() + 10 * kMicrosecond);
    ASSERT_EQ(ended.sources.size(), 5u);
    EXPECT_LT(std::find(ended.sources.begin(), ended.sources.end(), 1) - ended.sources.begin(), 2)
        << channel;
  }
}

bool has(MemorySystem& memory, const std::string& path) {
  StatisticRegistry registry;
  memory.register_statistics(registry);
  bool found = false;
  for (const Statistic& statistic : registry.read()) {
    found = found || statistic.path == path;
  }
  return found;
}

TEST(MemorySystem, SeveralNvdimmsOfAChannelHaveSeparateStatistics) {
  Memory one(Assignments{});
  EXPECT_TRUE(has(one.memory, "nvdimm.nand.reads"));
  EXPECT_FALSE(has(one.memory, "nvdimm.device0.nand.reads"));
  Memory two(Assignments{{"nvdimm.count", "2"}});
  EXPECT_TRUE(has(two.memory, "nvdimm.device0.nand.reads"));
  EXPECT_TRUE(has(two.memory, "nvdimm.device1.nand.reads"));
  EXPECT_FALSE(has(two.memory, "nvdimm.device2.nand.reads"));
}

TEST(MemorySystem, AnNvdimmWithoutPowerWhileItsHostRunsIsRejected) {
  const Archive loading((std::string()));
  Memory memory(Assignments{});
  memory.memory.check_loaded(loading, false);
  EXPECT_THROW(memory.memory.check_loaded(loading, true), InputError);
  Memory dram(kDramOnly);
  dram.memory.check_loaded(loading, true);
}

struct Silent final : Requester {
  void on_complete(const Request&, Tick) override {}
};

// DRAM lines are interleaved over the channels, and so are NVDIMM pages.
TEST(MemorySystem, EachChannelHasItsOwnRequests) {
  struct Seen final : CommandObserver {
    void on_command(const CommandRecord& record) override {
      if (record.request >= 0) {
        channels[record.request].insert(record.channel);
      }
    }
    std::map<std::int64_t, std::set<int>> channels;  // by request
  };
  for (const int count : {1, 2, 4}) {
    Silent requester;
    Seen seen;
    Memory memory(Assignments{{"controller.channels", std::to_string(count)}});
    memory.memory.set_requesters({&requester});
    memory.memory.add_observer(seen);
    std::vector<int> expected;  // by request
    for (const int number : {0, 1, 2, 3, 6, 9, 12, 15}) {
      for (const MemoryClass each : {MemoryClass::dram, MemoryClass::nvdimm}) {
        Request request;
        request.memory = each;
        request.address =
            Address(number * (each == MemoryClass::dram ? kLineBytes : kPageBytes).value());
        memory.memory.send(request, Tick(0));
        expected.push_back(number % count);
      }
    }
    memory.kernel.run_until(1'000 * kMicrosecond);
    ASSERT_EQ(seen.channels.size(), expected.size());
    for (const auto& [request, channels] : seen.channels) {
      EXPECT_EQ(channels, (std::set<int>{expected[static_cast<std::size_t>(request)]})) << request;
    }
  }
}

// A flush has one part per channel until it is done.
TEST(MemorySystem, PartsOfAFlushAddUp) {
  Silent requester;
  Memory memory(Assignments{{"controller.channels", "2"}});
  memory.memory.set_requesters({&requester});
  Request flush;
  flush.memory = MemoryClass::nvdimm;
  flush.flush = true;
  memory.memory.send(flush, Tick(0));
  EXPECT_EQ(memory.memory.outstanding().size(), 3u);  // including the flush itself
  memory.kernel.run_until(1'000 * kMicrosecond);
  EXPECT_TRUE(memory.memory.outstanding().empty());
}

// Neither are writes to DRAM, nor blocks, whose data have not left the host.
TEST(MemorySystem, OnlyLinesForTheNvdimmAreSpared) {
  Silent requester;
  Memory memory(Assignments{{"system.store_data", "true"}, {"nvdimm.access", "block"}});
  memory.memory.set_requesters({&requester});
  Request first;  // takes id 0: a write stores its id as data
  memory.memory.send(first, Tick(0));
  for (const MemoryClass each : {MemoryClass::dram, MemoryClass::nvdimm}) {
    Request request;
    request.memory = each;
    request.write = true;
    request.address = Address(each == MemoryClass::dram ? 0 : 4096);
    memory.memory.send(request, Tick(0));
    request.lines = each == MemoryClass::dram ? 1 : 64;
    request.address = Address(8192);
    memory.memory.send(request, Tick(0));
  }
  const auto admitted = [&memory] {
    const auto all = memory.memory.outstanding();
    return std::count_if(all.begin(), all.end(), [](const auto& each) { return each.admitted; });
  };
  while (admitted() < 5) {
    ASSERT_TRUE(memory.kernel.step(kNever));
  }
  memory.memory.spare_writes();
  memory.memory.power_fail(memory.kernel.now());
  EXPECT_EQ(memory.memory.peek(MemoryClass::nvdimm, Address(0)), LineBytes{});
  EXPECT_NE(memory.memory.peek(MemoryClass::nvdimm, Address(4096)), LineBytes{});
  EXPECT_EQ(memory.memory.peek(MemoryClass::nvdimm, Address(8192)), LineBytes{});
}

TEST(MemorySystem, DefaultsFollowTheModules) {
  struct Case {
    const char* keys;
    bool blocks;
    std::int64_t entries;
  };
  const std::string hbf =
      "dram.preset=hbm3_6400_4h_2gb_x32 nvdimm.attach=hbf nvdimm.nand.preset=hbf_256 ";
  for (const Case& each :
       {Case{"", true, 128}, Case{"nvdimm.nand.dies=4", true, 512},
        Case{"nvdimm.nand.dies=2 nvdimm.count=2", true, 512},
        Case{"nvdimm.nand.dies=4 controller.nvdimm_queue_depth=5", true, 5},
        Case{"nvdimm.nand.dies=4 nvdimm.access=line", false, 128},
        Case{"controller.ack=nvdimm_p", false, 128}, Case{"nvdimm.attach=cxl", false, 128},
        Case{"nvdimm.kind=pcm", false, 128}, Case{"nvdimm.buffer.granularity=item", false, 128},
        Case{"hbf.dies=1", false, 512}, Case{"hbf.dies=4", false, 2048}}) {
    const std::string keys = each.keys;
    const bool of_hbf = keys.find("hbf") == 0;
    const SystemConfig config =
        make_config(keys_from("controller.queues=split " + (of_hbf ? hbf : "") + keys));
    EXPECT_EQ(config.block_access(), each.blocks) << keys;
    EXPECT_EQ(config.nvdimm_slots(), each.entries) << keys;
  }
}

TEST(MemorySystem, DramForgetsWithoutPower) {
  Silent requester;
  Memory memory(Assignments{{"system.store_data", "true"}, {"controller.channels", "2"}});
  memory.memory.set_requesters({&requester});
  constexpr std::array<std::int64_t, 2> kLines{4, 7};  // one line per channel
  for (int i = 0; i < 2; ++i) {                        // a write with id 0 stores zeros
    for (const std::int64_t line : kLines) {
      Request request;
      request.write = true;
      request.address = Address(line * kLineBytes.value());
      memory.memory.send(request, memory.kernel.now());
    }
    memory.kernel.run_until(memory.kernel.now() + kMicrosecond);
  }
  const auto held = [&](std::int64_t line) {
    return memory.memory.peek(MemoryClass::dram, Address(line * kLineBytes.value()));
  };
  for (const std::int64_t line : kLines) {
    EXPECT_NE(held(line), LineBytes{}) << line;
  }
  memory.memory.power_fail(memory.kernel.now());
  for (const std::int64_t line : kLines) {
    EXPECT_EQ(held(line), LineBytes{}) << line;
  }
}

}  // namespace
}  // namespace hmsim::testing
