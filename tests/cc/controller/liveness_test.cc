// SPDX-License-Identifier: BSD-3-Clause
// With the starvation guard no request waits longer than a bound, whatever the scheduler and
// arbiter do and however one-sided the traffic is. docs/schedulers.md states the bound.
#include <gtest/gtest.h>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/policies/rig.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kLimit = 400;  // cycles: 500 ns of DDR3-1600

// Few slots, and an NVDIMM that answers within its lookup, so that waiting is caused by the host.
const Assignments kFewSlots = keys_from(
    "nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 nvdimm.buffer.read_size=1MiB "
    "nvdimm.buffer.write_size=1MiB nvdimm.unmapped_read=zero controller.queue_depth=8 "
    "controller.nvdimm_queue_depth=8 controller.drain_high=6 controller.drain_low=2 "
    "policies.nvm_duet.write_high=6 policies.nvm_duet.write_low=2 policies.tcm.quantum=3us "
    "policies.atlas.quantum=3us");

// Returns the bound from admission to the last beat: the limit; then, for each slot, the longest
// time one request can occupy a bank and the bus (previous row, its own row, turnaround); and
// refreshes.
Cycle bound_of(const SystemConfig& config) {
  const DramTiming& t = config.dram.timing;
  const std::int64_t each =
      t.tras + t.twr + t.trp + t.tfaw + t.trcd + t.cwl + t.burst + t.twtr + t.cl + t.burst;
  const std::int64_t lookup = 1 + config.nvdimm.buffer.lookup / config.dram.clock_period();
  const std::int64_t wait = kLimit + config.controller.slots() * each + lookup;
  const std::int64_t refreshes = wait / t.trefi + 2;
  return Cycle(wait + refreshes * (t.trfc + each));
}

// Closed loop with as many requests as slots. Nearly all are of one kind, which needs neither a new
// row nor a turnaround. The kind changes at intervals longer than the bound.
class OneSided {
 public:
  explicit OneSided(ChannelUnderTest& channel) : channel_(channel) {
    channel_.on_done = [this](const Request&) { send(); };
    for (std::int64_t i = 0; i < channel_.config_.controller.slots(); ++i) {
      send();
    }
  }
  void turn(MemoryClass memory, bool write) {
    memory_ = memory;
    write_ = write;
  }
  void end() { ended_ = true; }

 private:
  void send() {
    if (ended_) {
      return;
    }
    const bool odd = random_.below(16) == 0;
    const MemoryClass memory = !odd                    ? memory_
                               : random_.below(2) == 0 ? MemoryClass::dram
                                                       : MemoryClass::nvdimm;
    const bool write = odd ? random_.below(2) == 0 : write_;
    const auto column = static_cast<std::int64_t>(next_++ % 64);
    const auto row = static_cast<std::int64_t>(odd ? 1 + random_.below(3) : 0);
    const auto bank = static_cast<std::int64_t>(odd ? random_.below(8) : 0);
    channel_.send(memory,
                  memory == MemoryClass::dram ? channel_.dram(row, bank, column)
                                              : Address((row * 8 + bank) * 4096 + column * 64),
                  write, odd ? 1 : 0);
  }

  ChannelUnderTest& channel_;
  Random random_{11};
  MemoryClass memory_ = MemoryClass::dram;
  bool write_ = false;
  bool ended_ = false;
  std::uint64_t next_ = 0;
};

Cycle longest_wait(const Assignments& assignments) {
  const std::string table = table_text([](std::size_t cell) { return cell + 1; },
                                       [](std::size_t cell) { return 576 - cell; });
  ChannelUnderTest channel(
      with(with(kFewSlots, assignments), {{"policies.harmonic.table", table}}));
  const Cycle phase = bound_of(channel.config_) + Cycle(500);
  OneSided traffic(channel);
  Cycle now{0};
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    for (const bool write : {true, false}) {
      traffic.turn(memory, write);
      now += phase;
      channel.instructions_.assign(2, now.value());
      channel.run_to(now);
    }
  }
  traffic.end();
  channel.drain();
  EXPECT_EQ(channel.completions_.size(), channel.next_id_);
  Cycle longest{0};
  for (const auto& [id, finished] : channel.finished_) {
    EXPECT_EQ(channel.completions_[id], 1);
    longest = later(longest, finished - channel.admitted_[id]);
  }
  return longest;
}

class Liveness : public ::testing::TestWithParam<Assignments> {};

TEST_P(Liveness, NoRequestWaitsBeyondTheBound) {
  const Cycle longest = longest_wait(GetParam());
  EXPECT_LE(longest, bound_of(make_config(with(kFewSlots, GetParam()))));
  RecordProperty("longest", static_cast<int>(longest.value()));
}

INSTANTIATE_TEST_SUITE_P(
    All, Liveness, ::testing::ValuesIn(combinations({{"controller.starvation_limit", "500ns"}})),
    [](const auto& test) {
      std::string name;
      for (std::size_t i = test.param.size() - 4; i < test.param.size(); ++i) {
        name += test.param[i].second + "_";
      }
      return name + std::to_string(test.index);
    });

TEST(StarvationGuard, HoldsIfFewCommandsMayBeOutstanding) {
  for (const char* structure : {"flat", "two_level"}) {
    for (const char* queues : {"unified", "split"}) {
      for (const char* writes : {"mixed", "drained"}) {
        const Assignments assignments{{"controller.starvation_limit", "500ns"},
                                      {"controller.structure", structure},
                                      {"controller.command_queue_depth", "2"},
                                      {"controller.queues", queues},
                                      {"controller.writes", writes},
                                      {"controller.page_policy", "closed_page"}};
        const Cycle longest = longest_wait(assignments);
        EXPECT_LE(longest, bound_of(make_config(with(kFewSlots, assignments))))
            << structure << queues << writes;
      }
    }
  }
}

TEST(StarvationGuard, HoldsInEachAckMode) {
  for (const char* ack : {"grant", "auto", "nvdimm_p"}) {
    for (const char* queues : {"unified", "split"}) {
      for (const char* arbiter : {"dram_first", "round_robin"}) {
        const Assignments assignments{{"controller.starvation_limit", "500ns"},
                                      {"controller.ack", ack},
                                      {"controller.queues", queues},
                                      {"controller.arbiter", arbiter}};
        const Cycle longest = longest_wait(assignments);
        // In `auto` mode acks are returned in order: those before an overdue one must become
        // overdue first.
        EXPECT_LE(longest, bound_of(make_config(with(kFewSlots, assignments))) + Cycle(kLimit))
            << ack << queues << arbiter;
        RecordProperty(std::string(ack) + queues + arbiter, static_cast<int>(longest.value()));
      }
    }
  }
}

// All become overdue at once; the NVDIMM's is ready when half of the DRAM's are done.
TEST(StarvationGuard, TheOlderOverdueRequestOfTwoClassesGoesFirst) {
  for (const bool nvdimm_is_older : {false, true}) {
    ChannelUnderTest channel(with(
        kFewSlots, keys_from("dram.refresh=false controller.queues=split controller.queue_depth=64 "
                             "controller.arbiter=round_robin controller.starvation_limit=2ns")));
    const auto fill = [&] {
      for (std::int64_t column = 0; column < 40; ++column) {
        channel.send(MemoryClass::dram, channel.dram(0, 0, column));
      }
    };
    std::uint64_t other = 0;
    if (nvdimm_is_older) {
      other = channel.send(MemoryClass::nvdimm, Address(0));
      fill();
    } else {
      fill();
      other = channel.send(MemoryClass::nvdimm, Address(0));
    }
    channel.drain();
    ASSERT_EQ(channel.order_.size(), 41u);
    const auto place = std::find(channel.order_.begin(), channel.order_.end(), other);
    EXPECT_EQ(place == channel.order_.end() - 1, !nvdimm_is_older);
    EXPECT_NE(place, channel.order_.begin());
  }
}

// A stream without turnarounds keeps the bus from a request that needs one until a refresh
// interrupts it, under every scheduler and arbiter.
TEST(StarvationGuard, HoldsAgainstAStreamThatNeedsNoTurnaround) {
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    for (const bool write : {false, true}) {
      for (const char* writes : {"mixed", "drained"}) {
        for (const bool guarded : {false, true}) {
          ChannelUnderTest channel(
              with(kFewSlots, {{"dram.refresh", "false"},
                               {"controller.writes", writes},
                               {"controller.starvation_limit", guarded ? "500ns" : "0s"}}));
          const auto address = [&](std::int64_t line, std::int64_t other) {
            return memory == MemoryClass::dram ? channel.dram(0, other, line % 128)
                                               : Address(other * 4096 + line % 64 * 64);
          };
          std::int64_t sent = 0;
          channel.on_done = [&](const Request& request) {
            if (request.source == 0 && sent < 3000) {
              channel.send(memory, address(sent++, 0), !write);
            }
          };
          for (int i = 0; i < 7; ++i) {
            channel.send(memory, address(sent++, 0), !write);
          }
          const std::uint64_t victim = channel.send(memory, address(0, 1), write, 1);
          channel.drain();
          if (guarded) {
            EXPECT_LT(channel.finished_[victim], Cycle(kLimit + 150))
                << static_cast<int>(memory) << write << writes;
          } else if (memory == MemoryClass::dram) {
            EXPECT_GT(channel.finished_[victim], Cycle(10'000)) << write << writes;
          }
        }
      }
    }
  }
}

// Bursts to pages of the NVDIMM's buffer follow one another, so the bus is never turned around for
// the one request in the other direction.
TEST(StarvationGuard, HoldsAgainstBurstsOfTheNvdimmThatNeedNoTurnaround) {
  for (const bool write : {false, true}) {
    for (const bool guarded : {false, true}) {
      ChannelUnderTest channel(
          with(kFewSlots, {{"dram.refresh", "false"},
                           {"controller.queue_depth", "64"},
                           {"controller.ack_slots", "0"},
                           {"nvdimm.buffer.lookup", "0ns"},
                           {"nvdimm.buffer.port", "pipelined"},
                           {"controller.starvation_limit", guarded ? "500ns" : "0s"}}));
      std::int64_t sent = 0;
      const auto send = [&] {
        const std::int64_t line = sent++;
        channel.send(MemoryClass::nvdimm, Address(line % 16 * 4096 + line / 16 % 64 * 64), !write);
      };
      channel.on_done = [&](const Request& request) {
        if (request.source == 0 && sent < 5'000) {
          send();
        }
      };
      for (int i = 0; i < 50; ++i) {
        send();
      }
      const std::uint64_t victim = channel.send(MemoryClass::nvdimm, Address(20 * 4096), write, 1);
      channel.drain();
      if (guarded) {
        EXPECT_LT(channel.finished_[victim], Cycle(kLimit + 150)) << write;
      } else {
        EXPECT_GT(channel.finished_[victim], Cycle(10'000)) << write;
      }
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
