// SPDX-License-Identifier: BSD-3-Clause
// Do host queue and CXL port keep every request, in 500 random systems? Requests, messages, answers
// and times add up, in all statistics that count them.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/controller/host_rig.h"

namespace hmsim::testing {
namespace {

Assignments draw_system(Random& random) {
  const auto pick = [&](std::vector<const char*> from) {
    return std::string(from[random.below(from.size())]);
  };
  const std::string attach = pick({"ddr", "cxl", "cxl"});
  const std::string queue = pick({"none", "shared", "divided"});
  const std::string limiter =
      pick({"unlimited", "limit", "service_limit", "devload", "token_regulator", "yield"});
  return {
      {"nvdimm.attach", attach},
      {"cxl.credits", pick({"1", "3", "64"})},
      {"cxl.flit", pick({"68", "256"})},
      {"cxl.messages_per_header", pick({"1", "4"})},
      {"cxl.down.latency", pick({"1ps", "35ns", "300ns"})},
      {"cxl.up.rate", pick({"4GT/s", "32GT/s"})},
      {"controller.channels", pick({"2", "3"})},
      {"expander.channels", attach == "cxl" ? pick({"0", "1", "2"}) : "0"},
      {"expander.credits", pick({"1", "64"})},
      {"expander.down.rate", pick({"4GT/s", "32GT/s"})},
      {"expander.up.latency", pick({"1ps", "80ns"})},
      {"controller.queue_depth", pick({"8", "64"})},
      {"controller.nvdimm_queue_depth", pick({"4", "128"})},
      {"host.queue", queue},
      {"host.entries", pick({"1", "5", "64"})},
      {"host.slow_entries", pick({"1", "7", "64"})},
      {"host.order", pick({"fifo", "any"})},
      {"host.write_holds", pick({"accept", "done"})},
      {"host.limiter", queue == "none" ? "unlimited" : limiter},
      {"policies.limit.entries", "2"},
      {"nvdimm.kind", pick({"flash", "pcm"})},
  };
}

struct Sent {
  Tick time;
  MemoryClass memory;
  bool write;
  std::int64_t line;
};

// A host, what it sent, and what its memory system counted.
class Trial {
 public:
  explicit Trial(Random& random) : host_(draw_system(random)) {
    host_.memory.register_statistics(registry_);
    constexpr int kRequests = 200;
    for (int i = 0; i < kRequests; ++i) {
      const bool slow = random.below(2) == 0;
      const bool write = random.below(3) == 0;
      const Address address(static_cast<std::int64_t>(random.below(512) * 64));
      const MemoryClass memory = slow ? MemoryClass::nvdimm : MemoryClass::dram;
      const auto tag = static_cast<std::uint32_t>(host_.send(address, write, memory));
      sent_[tag] = {host_.kernel.now(), memory, write, address.value() / 64};
      ++count_[slow ? 1 : 0][write ? 1 : 0];
      if (random.below(4) == 0) {
        host_.kernel.run_until(host_.kernel.now() +
                               Tick(static_cast<std::int64_t>(random.below(200'000))));
      }
    }
    host_.drain();
    for (const Statistic& statistic : registry_.read()) {
      statistics_[statistic.path] = statistic;
    }
  }

  const SystemConfig& config() const { return host_.memory.config(); }

  // Each request ends once, those of a line in order.
  void expect_ends() {
    EXPECT_EQ(host_.ends.size(), sent_.size());
    std::map<std::pair<MemoryClass, std::int64_t>, std::uint32_t> last;
    for (const Request& request : host_.order) {
      EXPECT_EQ(host_.ends[request.tag], 1);
      const auto line = std::pair(request.memory, request.address.value());
      EXPECT_TRUE(last.count(line) == 0 || last[line] < request.tag);
      last[line] = request.tag;
    }
  }

  void expect_requests_and_latency() {
    EXPECT_EQ(counted("dram.reads"), count_[0][0]);
    EXPECT_EQ(counted("dram.writes"), count_[0][1]);
    EXPECT_EQ(counted("nvdimm.reads"), count_[1][0]);
    EXPECT_EQ(counted("nvdimm.writes"), count_[1][1]);
    std::array<std::array<double, 2>, 2> latency{};  // ns, by class, then reads and writes
    for (const auto& [tag, each] : sent_) {
      latency[each.memory == MemoryClass::nvdimm ? 1 : 0][each.write ? 1 : 0] +=
          picoseconds(host_.done[tag] - each.time) / 1'000;
    }
    expect_sum("dram.read_latency_ns", latency[0][0]);
    expect_sum("dram.write_latency_ns", latency[0][1]);
    expect_sum("nvdimm.line_latency_ns", latency[1][0] + latency[1][1]);
  }

  // The requester's latency is that of the device, the wait for an entry of the host queue or for a
  // credit, and the time on the link.
  void expect_device_latency() {
    const auto host = [&](const char* path) { return config().host.present() ? sum(path) : 0; };
    const bool cxl = config().port.is_cxl();
    const bool expanders = config().expander.channels > 0;
    const auto link = [&](const std::string& path) {
      return sum(path + "read.link_ns") + sum(path + "write.link_ns");
    };
    expect_sum("nvdimm.line_latency_ns",
               sum("nvdimm.device_line_latency_ns") +
                   (cxl ? sum("cxl.credit_wait_ns") + link("nvdimm.latency.")
                        : host("host.slow.wait_ns")));
    expect_sum("dram.read_latency_ns",
               sum("dram.device_read_latency_ns") + sum("dram.device_write_latency_ns") +
                   host("host.fast.wait_ns") +
                   (expanders ? sum("expander.credit_wait_ns") + link("dram.latency.") : 0) -
                   sum("dram.write_latency_ns"));
  }

  // A read is a header down and a line up, a write a line down and a header up.
  void expect_messages(const std::string& path, double reads, double writes) {
    EXPECT_EQ(value(path + "down.headers"), reads);
    EXPECT_EQ(value(path + "down.lines"), writes);
    EXPECT_EQ(value(path + "up.headers"), writes);
    EXPECT_EQ(value(path + "up.lines"), reads);
  }
  void expect_messages_of_nvdimm() {
    expect_messages("cxl.", static_cast<double>(count_[1][0]), static_cast<double>(count_[1][1]));
  }
  // Channels take lines in turn.
  void expect_messages_of_expander() {
    const std::int64_t channels = config().controller.channels;
    std::array<double, 2> count{};
    for (const auto& [tag, each] : sent_) {
      if (each.memory == MemoryClass::dram && config().is_expander(each.line % channels)) {
        ++count[each.write ? 1 : 0];
      }
    }
    expect_messages("expander.", count[0], count[1]);
  }

  // The answer to a read carries the load, that to a write at its admission and at its end.
  void expect_answers() {
    std::uint64_t answers = 0;
    for (const char* level : {"light", "optimal", "moderate", "severe"}) {
      answers += counted(std::string("cxl.load.") + level);
    }
    EXPECT_EQ(answers, count_[1][0] + 2 * count_[1][1]);
  }

  // Entries x time is the sum of the times held: until the answer, or until the admission of a
  // write that holds its entry no longer.
  void expect_entries() {
    const std::array<const char*, 2> names{"host.fast.", "host.slow."};
    const bool accept = config().host.write_holds == WriteHolds::accept;
    const std::int64_t channels = config().controller.channels;
    for (std::size_t tier = 0; tier < 2; ++tier) {
      const std::string path = names[tier];
      std::uint64_t requests = 0;
      double inside = 0;
      for (const auto& [tag, each] : sent_) {
        const bool slow =
            each.memory == MemoryClass::nvdimm || config().is_expander(each.line % channels);
        if (slow == (tier == 1)) {
          ++requests;
          const Tick left = each.write && accept ? host_.admitted[tag] : host_.done[tag];
          inside += picoseconds(left - each.time);
        }
      }
      EXPECT_EQ(counted(path + "entered"), requests);
      const double held = inside - total(path + "wait_ns", requests) * 1'000;
      const double time = picoseconds(host_.kernel.now());
      EXPECT_NEAR(statistics_[path + "occupancy"].value * time, held, 1e-6 * inside + 1) << path;
    }
  }

 private:
  static double picoseconds(Tick time) { return static_cast<double>(time.value()); }
  std::uint64_t counted(const std::string& path) { return statistics_.at(path).count; }
  double value(const std::string& path) { return statistics_.at(path).value; }
  double sum(const std::string& path) { return total(path, counted(path)); }
  void expect_sum(const std::string& path, double wanted) {
    EXPECT_NEAR(sum(path), wanted, 1e-9 * wanted + 1e-6) << path;
  }
  // Returns the sum of a histogram of `samples` values.
  double total(const std::string& path, std::uint64_t samples) {
    return statistics_.at(path).summary.front().second * static_cast<double>(samples);
  }

  CxlHost host_;
  StatisticRegistry registry_;
  std::map<std::uint32_t, Sent> sent_;
  std::array<std::array<std::uint64_t, 2>, 2> count_{};  // by class, then reads and writes
  std::map<std::string, Statistic> statistics_;
};

TEST(Conservation, HoldsIn500RandomSystems) {
  Random random(3);
  for (int round = 0; round < 500 && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Trial trial(random);
    trial.expect_ends();
    trial.expect_requests_and_latency();
    trial.expect_device_latency();
    if (trial.config().port.is_cxl()) {
      trial.expect_messages_of_nvdimm();
      trial.expect_answers();
    }
    if (trial.config().expander.channels > 0) {
      trial.expect_messages_of_expander();
    }
    if (trial.config().host.present()) {
      trial.expect_entries();
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
