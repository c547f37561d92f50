// SPDX-License-Identifier: BSD-3-Clause
// Is a flush a barrier over all channels, whichever requester sends it, with full queues, and
// across a checkpoint?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/memory_rig.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
constexpr Tick kPeriod{1250};
constexpr std::uint16_t kRequesters = 3;

// Short queues, so that requests and flushes wait outside.
const Assignments kShort = keys_from(
    "controller.queue_depth=8 controller.nvdimm_queue_depth=8 controller.drain_high=6 "
    "controller.drain_low=2 nvdimm.unmapped_read=zero");

// Several requesters that send lines and flushes at random, and more from completions.
class Traffic final : public Requester, public CommandObserver {
 public:
  Traffic(std::int64_t channels, const Assignments& more)
      : rig(with(with(kShort, {{"controller.channels", std::to_string(channels)}}), more)) {
    rig.memory.set_requesters({this, this, this});
    rig.memory.add_observer(*this);
  }

  void burst() {
    for (auto count = random_.below(12); count > 0; --count) {
      random_.below(6) == 0 ? flush() : line();
    }
  }
  void run_to(std::int64_t cycle) { rig.kernel.run_until(cycle * kPeriod); }
  void drain() {
    while (!rig.memory.idle() && rig.kernel.step(kSecond)) {
    }
  }

  void on_complete(const Request& request, Tick now) override {
    if (request.flush) {
      flushes_[request.tag].done = now;
      if (answers > 0) {
        --answers;
        line();
        flush();
      }
    } else {
      done_[request.id] = now;
    }
  }
  void on_command(const CommandRecord& record) override {
    log.push_back(record);
    if (record.command == ChannelCommand::nvdimm_read_command ||
        record.command == ChannelCommand::nvdimm_write_command ||
        record.command == ChannelCommand::nvdimm_write) {
      begun_.emplace(static_cast<std::uint64_t>(record.request), record.cycle.value() * kPeriod);
    }
  }

  // Counts NVDIMM requests that begin before a flush sent earlier is done, or that are unfinished
  // when a flush sent later is done.
  int overtakes() const {
    int found = 0;
    for (const auto& entry : begun_) {
      const std::uint64_t id = entry.first;
      const auto& begun = entry.second;
      const bool overtakes = std::any_of(flushes_.begin(), flushes_.end(), [&](const auto& each) {
        return each.second.end <= id && begun < each.second.done;
      });
      const bool late = std::any_of(flushes_.begin(), flushes_.end(), [&](const auto& each) {
        return id < each.second.first && done_.at(id) > each.second.done;
      });
      found += overtakes || late ? 1 : 0;
    }
    return found;
  }
  void expect_all_done() const {
    EXPECT_TRUE(rig.memory.idle());
    EXPECT_EQ(done_.size(), sent_);
    for (const auto& [tag, flush] : flushes_) {
      EXPECT_NE(flush.done, kNever) << "flush " << tag;
    }
  }
  std::size_t begun() const { return begun_.size(); }
  std::size_t flushes() const { return flushes_.size(); }
  // Returns whether some NVDIMMs have acknowledged a flush and others have not.
  bool within_flush() const {
    const auto all = rig.memory.outstanding();
    const auto parts = std::count_if(all.begin(), all.end(), [](const auto& each) {
      return each.request.flush && each.request.agent == kRequesters;
    });
    return parts % rig.memory.config().controller.channels != 0;
  }

  std::string save() {
    Archive archive;
    archive(rig.memory, rig.kernel);
    return archive.bytes();
  }
  void load(const std::string& state) {
    Archive archive(state);
    archive(rig.memory, rig.kernel);
    EXPECT_TRUE(archive.at_end());
    rig.memory.check_loaded(archive, false);
  }

  Memory rig;
  int answers = 0;  // flushes answered with a line and a flush
  std::vector<CommandRecord> log;

 private:
  struct Flush {
    std::uint64_t first = 0;  // first id of the parts
    std::uint64_t end = 0;
    Tick done = kNever;
  };

  void line() {
    Request request;
    const bool nvdimm = random_.below(4) != 0;
    request.memory = nvdimm ? kNvdimm : MemoryClass::dram;
    request.address = Address(static_cast<std::int64_t>(random_.below(32)) * 4096 +
                              static_cast<std::int64_t>(random_.below(4)) * 64);
    request.write = random_.below(2) == 0;
    request.agent = static_cast<std::uint16_t>(random_.below(kRequesters));
    rig.memory.send(request, rig.kernel.now());
    ++sent_;
  }
  void flush() {
    Request request;
    request.memory = kNvdimm;
    request.flush = true;
    request.agent = static_cast<std::uint16_t>(random_.below(kRequesters));
    request.tag = next_flush_++;
    const std::uint64_t first = rig.memory.requests();
    flushes_[request.tag].first = first;
    rig.memory.send(request, rig.kernel.now());
    flushes_[request.tag].end = rig.memory.requests();
  }

  Random random_{23};
  std::uint32_t next_flush_ = 0;
  std::uint64_t sent_ = 0;
  std::map<std::uint32_t, Flush> flushes_;
  std::map<std::uint64_t, Tick> done_;
  std::map<std::uint64_t, Tick> begun_;  // NVDIMM lines
};

TEST(FlushOfChannels, NoRequestOvertakesItOnAnyChannel) {
  const std::vector<Assignments> variants{
      {},
      {{"controller.ack", "auto"}},
      {{"controller.ack", "nvdimm_p"}},
      {{"nvdimm.buffer.flush", "writeback"}},
      {{"controller.structure", "two_level"}},
      {{"controller.writes", "drained"}, {"controller.starvation_limit", "3us"}},
      {{"controller.arbiter", "oldest_first"}, {"nvdimm.count", "2"}}};
  for (const std::int64_t channels : {1, 2, 4}) {
    for (const char* queues : {"unified", "split"}) {
      for (std::size_t variant = 0; variant < variants.size(); ++variant) {
        Traffic traffic(channels, with(variants[variant], {{"controller.queues", queues}}));
        traffic.answers = 30;
        for (int i = 1; i <= 80; ++i) {
          traffic.burst();
          traffic.run_to(60 * i);
        }
        traffic.drain();
        traffic.expect_all_done();
        EXPECT_GT(traffic.flushes(), 80U);
        EXPECT_EQ(traffic.overtakes(), 0) << "of " << traffic.begun() << ": " << channels
                                          << " channels, " << queues << ", variant " << variant;
      }
    }
  }
}

// At many moments within flushes, a run that loads a checkpoint continues like the run that saved
// it.
TEST(FlushOfChannels, SaveAndLoadWithinAFlush) {
  for (const std::int64_t channels : {2, 4}) {
    Traffic whole(channels, {});
    for (int i = 1; i <= 40; ++i) {
      whole.burst();
      whole.run_to(10 * i);
    }
    struct Saved {
      std::string state;
      std::size_t commands;
    };
    std::vector<Saved> saved;
    for (std::int64_t cycle = 400; !whole.rig.memory.idle(); cycle += 9) {
      whole.run_to(cycle);
      if (whole.within_flush()) {
        saved.push_back({whole.save(), whole.log.size()});
      }
    }
    ASSERT_GT(saved.size(), 20U);
    for (const Saved& each : saved) {
      Traffic resumed(channels, {});
      resumed.load(each.state);
      ASSERT_EQ(resumed.save(), each.state);
      resumed.drain();
      ASSERT_EQ(resumed.log.size(), whole.log.size() - each.commands);
      for (std::size_t i = 0; i < resumed.log.size(); ++i) {
        ASSERT_TRUE(resumed.log[i] == whole.log[each.commands + i]) << "command " << i;
      }
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
