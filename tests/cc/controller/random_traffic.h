// SPDX-License-Identifier: BSD-3-Clause
// Random traffic for a channel under test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {

inline const Assignments kSmallNvdimm = keys_from(
    "nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=28 nvdimm.buffer.read_size=256KiB "
    "nvdimm.buffer.write_size=256KiB");

// Random requests over few rows and lines, so that hits, conflicts and equal lines are common.
class RandomTraffic {
 public:
  // `between_flushes`: average number of requests between flushes; 0: no flushes.
  RandomTraffic(ChannelUnderTest& channel, std::uint64_t seed, std::uint64_t between_flushes = 0)
      : channel_(channel),
        random_(seed),
        nvdimm_(channel.config_.nvdimm.present),
        between_flushes_(between_flushes) {}

  // Sends a few requests at the current time.
  void burst() {
    for (auto count = random_.below(6); count > 0; --count) {
      const bool nvdimm = nvdimm_ && random_.below(3) == 0;
      const bool write = random_.below(3) == 0;
      const Address address = nvdimm ? nvdimm_line() : dram_line();
      const auto memory = nvdimm ? MemoryClass::nvdimm : MemoryClass::dram;
      const std::int64_t lines = nvdimm && blocks_ && below(2) == 0 ? 1 + below(6) : 1;
      const std::uint64_t id = channel_.send(memory, address, write,
                                             static_cast<std::uint16_t>(channel_.next_id_ % kCores),
                                             0, static_cast<std::uint8_t>(lines));
      for (std::int64_t line = 0; line < lines; ++line) {
        lines_[{static_cast<int>(memory), address.value() + 64 * line}].push_back(id);
      }
      if (between_flushes_ != 0 && random_.below(between_flushes_) == 0) {
        flushes_.push_back(channel_.flush());
      }
    }
  }
  // Returns a pause: mostly short, sometimes so long that ranks are refreshed while idle.
  Cycle pause() {
    const std::uint64_t longest = random_.below(16) == 0 ? 8000 : 40;
    return Cycle(static_cast<std::int64_t>(random_.below(longest)));
  }

  // Sends `bursts` bursts, each followed by its pause, from cycle 0 on.
  void run(int bursts) {
    Cycle now{0};
    for (int i = 0; i < bursts; ++i) {
      burst();
      now += pause();
      channel_.run_to(now);
    }
  }

  // Expects that each request completed once, and that those to one line completed in order of
  // arrival.
  void expect_all_done() const {
    EXPECT_TRUE(channel_.channel_.idle());
    EXPECT_EQ(channel_.completions_.size(), channel_.next_id_);
    for (const auto& [id, count] : channel_.completions_) {
      EXPECT_EQ(count, 1) << "request " << id;
    }
    std::map<std::uint64_t, std::size_t> position;
    for (std::size_t i = 0; i < channel_.order_.size(); ++i) {
      position[channel_.order_[i]] = i;
    }
    for (const auto& [line, ids] : lines_) {
      for (std::size_t i = 1; i < ids.size(); ++i) {
        EXPECT_LT(position[ids[i - 1]], position[ids[i]]) << "line " << line.second;
      }
    }
  }
  const std::vector<std::uint64_t>& flushes() const { return flushes_; }

  // Expects that each NVDIMM request completes before the next flush does and begins after the
  // previous one has.
  void expect_barriers() const {
    std::map<std::uint64_t, Cycle> begun;
    for (const CommandRecord& record : channel_.log_) {
      if (record.command == ChannelCommand::nvdimm_read_command ||
          record.command == ChannelCommand::nvdimm_write_command) {
        begun.emplace(static_cast<std::uint64_t>(record.request), record.cycle);
      }
    }
    for (const auto& [id, cycle] : begun) {
      const auto next = std::upper_bound(flushes_.begin(), flushes_.end(), id);
      if (next != flushes_.end()) {
        EXPECT_LE(channel_.finished_.at(id), channel_.finished_.at(*next)) << "request " << id;
      }
      if (next != flushes_.begin()) {
        EXPECT_GE(cycle, channel_.finished_.at(*(next - 1))) << "request " << id;
      }
    }
  }

 private:
  // One draw per statement, so that every compiler generates the same traffic.
  std::int64_t below(std::uint64_t bound) {
    return static_cast<std::int64_t>(random_.below(bound));
  }
  Address nvdimm_line() {
    const NvdimmPopulation& population = channel_.config_.population;
    std::int64_t page = below(16);
    if (population.interleave == Interleave::device && population.count > 1) {
      const std::vector<NvdimmParameters> modules = channel_.config_.nvdimms();
      const auto before = static_cast<std::size_t>(below(modules.size()));
      for (std::size_t i = 0; i < before; ++i) {
        page += logical_pages(modules[i]);
      }
    }
    return Address(page * 4096 + below(4) * 64);
  }
  Address dram_line() {
    const std::int64_t rank = below(static_cast<std::uint64_t>(channel_.config_.dram.ranks));
    const std::int64_t column = below(8);
    const std::int64_t bank = below(8);
    const std::int64_t row = below(3);
    return channel_.dram(row, bank, column, rank);
  }

  static constexpr std::uint64_t kCores = 4;

  std::map<std::pair<int, std::int64_t>, std::vector<std::uint64_t>> lines_;
  ChannelUnderTest& channel_;
  Random random_;
  bool nvdimm_;
  bool blocks_ = channel_.config_.nvdimm.access == NvdimmAccess::block;
  std::uint64_t between_flushes_;
  std::vector<std::uint64_t> flushes_;
};

// Expects run(A + B) = run(A), save, load, run(B). `flushes`: as RandomTraffic's.
inline void expect_exact_resume(const Assignments& assignments, std::uint64_t seed = 3,
                                std::uint64_t flushes = 0) {
  ChannelUnderTest whole(assignments);
  ChannelUnderTest resumed(assignments);
  RandomTraffic traffic(whole, seed, flushes);
  for (int i = 0; i < 60; ++i) {
    traffic.burst();
    whole.run_to(Cycle(20 * (i + 1)));
  }
  const std::size_t commands = whole.log_.size();
  resumed.load(whole.save());
  for (ChannelUnderTest* each : {&whole, &resumed}) {
    each->run_to(Cycle(60'000));
    each->drain(Cycle(10'000'000));
  }
  ASSERT_GT(whole.log_.size(), commands);
  ASSERT_EQ(whole.log_.size() - commands, resumed.log_.size());
  for (std::size_t i = 0; i < resumed.log_.size(); ++i) {
    ASSERT_TRUE(whole.log_[commands + i] == resumed.log_[i]) << "command " << i;
  }
}

// Expects that a channel polled on every edge issues the same commands as one that wakes by itself,
// so that no edge with a legal command is missed.
inline void expect_no_missed_wake_up(const Assignments& assignments, int bursts) {
  ChannelUnderTest sleeping(assignments);
  ChannelUnderTest polled(assignments);
  RandomTraffic one(sleeping, 7);
  RandomTraffic other(polled, 7);
  Cycle now{0};
  for (int i = 0; i < bursts; ++i) {
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

}  // namespace hmsim::testing
