// SPDX-License-Identifier: BSD-3-Clause
// Properties over random traffic and configurations: every request completes exactly once, no rule
// is broken, lines stay in order, and no wake-up is missed.
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/protocol_checker.h"

namespace hmsim::testing {
namespace {

struct Case {
  const char* name;
  Assignments assignments;
};

const Assignments kSmallNvdimm{{"nvdimm.capacity", "256MiB"},
                               {"nvdimm.ftl.over_provisioning", "28"},
                               {"nvdimm.buffer.read_size", "256KiB"},
                               {"nvdimm.buffer.write_size", "256KiB"}};

Assignments with(Assignments base, const Assignments& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

std::vector<Case> cases() {
  return {
      {"unified", kSmallNvdimm},
      {"dram only, 4 ranks", {{"nvdimm.present", "false"}, {"dram.ranks", "4"}}},
      {"split", with(kSmallNvdimm, {{"controller.queues", "split"}})},
      {"split, DRAM first",
       with(kSmallNvdimm, {{"controller.queues", "split"}, {"controller.arbiter", "dram_first"}})},
      {"round robin, auto ack",
       with(kSmallNvdimm, {{"controller.arbiter", "round_robin"}, {"controller.ack", "auto"}})},
      {"legal commands only contest", with(kSmallNvdimm, {{"controller.queues", "split"},
                                                          {"controller.contest", "legal"},
                                                          {"controller.arbiter", "round_robin"}})},
      {"blocking device", with(kSmallNvdimm, {{"controller.outstanding", "1"}})},
      {"fcfs, paper's precharge delay",
       with(kSmallNvdimm,
            {{"controller.scheduler", "fcfs"}, {"dram.precharge_delay", "paper_read"}})},
      {"drained writes", with(kSmallNvdimm, {{"controller.writes", "drained"},
                                             {"controller.drain_high", "12"},
                                             {"controller.drain_low", "3"}})},
      {"two level", with(kSmallNvdimm, {{"controller.structure", "two_level"}})},
      {"shallow queue, xor hash, other part",
       with(kSmallNvdimm, {{"controller.queue_depth", "4"},
                           {"controller.bank_hash", "xor"},
                           {"dram.preset", "ddr3_1600_8gb_x8"}})},
  };
}

// Random requests over few rows and lines, so that hits, conflicts and equal lines are common.
class Traffic {
 public:
  explicit Traffic(ChannelUnderTest& channel, std::uint64_t seed)
      : channel_(channel), random_(seed), nvdimm_(channel.config_.nvdimm.present) {}

  // Sends a few requests at the present time.
  void burst() {
    for (auto count = random_.below(6); count > 0; --count) {
      const bool nvdimm = nvdimm_ && random_.below(3) == 0;
      const bool write = random_.below(3) == 0;
      const Address address =
          nvdimm
              ? Address(static_cast<std::int64_t>(random_.below(16) * 4096 + random_.below(4) * 64))
              : channel_.dram(static_cast<std::int64_t>(random_.below(3)),
                              static_cast<std::int64_t>(random_.below(8)),
                              static_cast<std::int64_t>(random_.below(8)),
                              static_cast<std::int64_t>(random_.below(
                                  static_cast<std::uint64_t>(channel_.config_.dram.ranks))));
      const auto memory = nvdimm ? MemoryClass::nvdimm : MemoryClass::dram;
      const std::uint64_t id = channel_.send(memory, address, write);
      lines_[{static_cast<int>(memory), address.value()}].push_back(id);
    }
  }
  Cycle pause() { return Cycle(static_cast<std::int64_t>(random_.below(40))); }

  std::map<std::pair<int, std::int64_t>, std::vector<std::uint64_t>> lines_;

 private:
  ChannelUnderTest& channel_;
  Random random_;
  bool nvdimm_;
};

constexpr int kBursts = 400;

TEST(ChannelProperties, EveryRequestOnceInLineOrderAndByTheRules) {
  for (const Case& tried : cases()) {
    SCOPED_TRACE(tried.name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      ChannelUnderTest channel(tried.assignments);
      Traffic traffic(channel, seed);
      Cycle now{0};
      for (int i = 0; i < kBursts; ++i) {
        traffic.burst();
        now += traffic.pause();
        channel.run_to(now);
      }
      channel.drain();
      EXPECT_TRUE(channel.channel_.idle());
      EXPECT_EQ(channel.completions_.size(), channel.next_id_);
      for (const auto& [id, count] : channel.completions_) {
        EXPECT_EQ(count, 1) << "request " << id;
      }
      std::map<std::uint64_t, std::size_t> position;
      for (std::size_t i = 0; i < channel.order_.size(); ++i) {
        position[channel.order_[i]] = i;
      }
      for (const auto& [line, ids] : traffic.lines_) {
        for (std::size_t i = 1; i < ids.size(); ++i) {
          EXPECT_LT(position[ids[i - 1]], position[ids[i]]) << "line " << line.second;
        }
      }
      DramParameters dram = channel.config_.dram;
      if (dram.precharge_delay == PrechargeDelay::paper_read) {
        dram.timing.trtp = dram.timing.cl + dram.timing.burst;
      }
      if (channel.config_.controller.ack == AckMode::grant) {
        EXPECT_EQ(ProtocolChecker(dram).check(channel.log_), "");
      }
    }
  }
}

// Work conservation: a channel that is made to look at every single edge issues exactly the same
// commands as one that wakes by itself, so no edge with a legal command is slept through.
TEST(ChannelProperties, NoWakeUpIsMissed) {
  for (const Case& tried : cases()) {
    SCOPED_TRACE(tried.name);
    ChannelUnderTest sleeping(tried.assignments);
    ChannelUnderTest polled(tried.assignments);
    Traffic one(sleeping, 7);
    Traffic other(polled, 7);
    Cycle now{0};
    for (int i = 0; i < kBursts; ++i) {
      one.burst();
      other.burst();
      now += one.pause();
      other.pause();
      sleeping.run_to(now);
      polled.poll_to(now);
    }
    now += Cycle(20'000);
    sleeping.run_to(now);
    polled.poll_to(now);
    ASSERT_EQ(sleeping.log_.size(), polled.log_.size());
    for (std::size_t i = 0; i < sleeping.log_.size(); ++i) {
      ASSERT_TRUE(sleeping.log_[i] == polled.log_[i])
          << "command " << i << " at " << sleeping.log_[i].cycle.value() << " and "
          << polled.log_[i].cycle.value();
    }
  }
}

// run(A + B) = run(A), save, load, run(B).
TEST(ChannelProperties, CheckpointContinuesExactly) {
  for (const Case& tried : cases()) {
    SCOPED_TRACE(tried.name);
    ChannelUnderTest whole(tried.assignments);
    ChannelUnderTest resumed(tried.assignments);
    Traffic traffic(whole, 3);
    std::string saved;
    std::size_t commands = 0;
    for (int i = 0; i < 60; ++i) {
      traffic.burst();
      whole.run_to(Cycle(20 * (i + 1)));
    }
    Archive out;
    whole.channel_.serialize(out);
    whole.kernel_.serialize(out);
    commands = whole.log_.size();
    Archive in(out.bytes());
    resumed.channel_.serialize(in);
    resumed.kernel_.serialize(in);
    EXPECT_TRUE(in.at_end());
    whole.run_to(Cycle(60'000));
    resumed.run_to(Cycle(60'000));
    ASSERT_EQ(whole.log_.size() - commands, resumed.log_.size());
    for (std::size_t i = 0; i < resumed.log_.size(); ++i) {
      ASSERT_TRUE(whole.log_[commands + i] == resumed.log_[i]) << "command " << i;
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
