// SPDX-License-Identifier: BSD-3-Clause
// Does the host queue share its entries as the closed forms say? The memory behind it answers each
// class after a fixed time, whatever its load.
#include "controller/host/host_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "controller/memory_system.h"
#include "core/ring.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

constexpr Tick kDramTime = 80 * kNanosecond;
constexpr Tick kSlowTime = 1'000 * kNanosecond;

class FixedMemory final : public Component, public HostTarget {
 public:
  void attach(Kernel& kernel, HostQueue& queue) {
    wakeup_ = Wakeup(kernel, kernel.attach(*this));
    queue_ = &queue;
  }
  void enter(const Request& request, Tick now) override {
    entered.push_back(request);
    const bool slow = request.memory == MemoryClass::nvdimm;
    lines_[slow ? 1 : 0].push({now + (slow ? kSlowTime : kDramTime), request});
    wakeup_.notify(next_event());
  }
  Tier tier_of(MemoryClass memory, Address /*address*/) const override {
    return memory == MemoryClass::nvdimm ? Tier::slow : Tier::fast;
  }
  Tick next_event() const override {
    return earlier(lines_[0].empty() ? kNever : lines_[0].front().first,
                   lines_[1].empty() ? kNever : lines_[1].front().first);
  }
  Tick advance(Tick now) override {
    for (Ring<std::pair<Tick, Request>>& line : lines_) {
      while (!line.empty() && line.front().first <= now) {
        const Request request = line.front().second;
        line.pop();
        queue_->on_complete(request, now);
      }
    }
    return next_event();
  }
  void serialize(Archive& /*archive*/) override {}

  std::vector<Request> entered;

 private:
  HostQueue* queue_ = nullptr;
  Wakeup wakeup_;
  std::array<Ring<std::pair<Tick, Request>>, 2> lines_;
};

// Keeps a number of requests of each class outstanding.
class Rig final : public Requester {
 public:
  Rig(const HostParameters& parameters, const Assignments& assignments = {})
      : queue(parameters, assignments, memory) {
    queue.attach(kernel, requesters_);
    memory.attach(kernel, queue);
    queue.requesters_set();
  }
  void send(MemoryClass of, std::uint16_t source = 0, bool flush = false) {
    Request request;
    request.id = next_++;
    request.memory = of;
    request.source = source;
    request.flush = flush;
    request.arrival = kernel.now();
    queue.send(request, kernel.now());
  }
  // Offers both classes in turn.
  void keep(int dram, int slow) {
    for (int i = 0; i < std::max(dram, slow); ++i) {
      if (i < dram) {
        send(MemoryClass::dram);
      }
      if (i < slow) {
        send(MemoryClass::nvdimm);
      }
    }
    refills_ = true;
  }
  void on_complete(const Request& request, Tick /*now*/) override {
    ++completed[static_cast<std::size_t>(request.memory)];
    if (refills_) {
      send(request.memory, request.source);
    }
  }

  Kernel kernel;
  FixedMemory memory;
  HostQueue queue;
  std::array<double, 2> completed{};

 private:
  std::vector<Requester*> requesters_{this};
  std::uint64_t next_ = 0;
  bool refills_ = false;
};

HostParameters shared(std::int64_t entries, HostOrder order = HostOrder::any) {
  HostParameters parameters;
  parameters.queue = HostQueueing::shared;
  parameters.entries = entries;
  parameters.order = order;
  return parameters;
}

constexpr Tick kLong = 400 * kMicrosecond;

// k slow requests leave N - k entries to DRAM. While all entries are held, their times add up to N
// times the time, whichever class gets a freed entry.
TEST(HostQueue, SlowRequestsTakeTheirEntriesFromDram) {
  for (const int slow : {0, 4, 16, 31}) {
    for (const int more : {0, 8}) {
      Rig rig(shared(32));
      rig.keep(32 - slow + more, slow);
      rig.kernel.run_until(kLong);
      const double least = (32.0 - slow) * (kLong / kDramTime);
      EXPECT_GE(rig.completed[0], least) << slow;
      EXPECT_TRUE(more > 0 || rig.completed[0] == least) << slow;
      const double time = rig.completed[0] * static_cast<double>(kDramTime.value()) +
                          rig.completed[1] * static_cast<double>(kSlowTime.value());
      EXPECT_NEAR(time / static_cast<double>(kLong.value()), 32, 0.32) << slow;
    }
  }
}

// A closed offer of M requests of each class, in order of arrival: all wait for the same time W, so
// that each class has M / (W + l), and W is where both fill the N entries: N = sum of l M / (W +
// l). With a long wait both have N / (l_d + l_c).
TEST(HostQueue, EqualOffersInOrderShareTheThroughput) {
  constexpr double kOffered = 200;
  const double dram = static_cast<double>(kDramTime.value());
  const double slow = static_cast<double>(kSlowTime.value());
  for (const std::int64_t entries : {8, 64}) {
    double low = 0;
    double high = 1e9;
    for (int i = 0; i < 100; ++i) {
      const double wait = (low + high) / 2;
      const double held = kOffered * (dram / (wait + dram) + slow / (wait + slow));
      (held > static_cast<double>(entries) ? low : high) = wait;
    }
    Rig rig(shared(entries, HostOrder::fifo));
    rig.keep(static_cast<int>(kOffered), static_cast<int>(kOffered));
    rig.kernel.run_until(10 * kLong);
    const auto time = static_cast<double>((10 * kLong).value());
    const double of_dram = kOffered * time / (low + dram);
    const double of_slow = kOffered * time / (low + slow);
    EXPECT_NEAR(rig.completed[0], of_dram, 0.02 * of_dram) << entries;
    EXPECT_NEAR(rig.completed[1], of_slow, 0.02 * of_slow) << entries;
  }
}

TEST(HostQueue, ADividedQueueIsolatesTheClasses) {
  for (const int slow : {0, 64}) {
    HostParameters parameters = shared(8);
    parameters.queue = HostQueueing::divided;
    parameters.slow_entries = 4;
    Rig rig(parameters);
    rig.keep(64, slow);
    rig.kernel.run_until(kLong);
    EXPECT_EQ(rig.completed[0], 8.0 * (kLong / kDramTime));
    EXPECT_EQ(rig.completed[1], slow == 0 ? 0 : 4.0 * (kLong / kSlowTime));
  }
}

TEST(HostQueue, ALimitOfSlowRequestsFreesTheRest) {
  double before = -1;
  for (const char* limit : {"31", "16", "4", "1"}) {
    HostParameters parameters = shared(32);
    parameters.limiter = "limit";
    Rig rig(parameters, {{"policies.limit.entries", limit}});
    rig.keep(64, 64);
    rig.kernel.run_until(kLong);
    const double left = (32.0 - std::stod(limit)) * (kLong / kDramTime);
    EXPECT_GE(rig.completed[0], 0.99 * left) << limit;
    EXPECT_LE(rig.completed[1], std::stod(limit) * (kLong / kSlowTime)) << limit;
    EXPECT_GT(rig.completed[0], before);
    before = rig.completed[0];
  }
}

// DRAM wants 20 of 32 entries and the slow class wants 64. By itself the slow class takes all
// entries that DRAM gives back. yield leaves DRAM its 20 (but for the first slow requests, and
// for those above the limit that it tries from time to time), and the slow class most of the rest.
TEST(HostQueue, YieldLeavesDramTheEntriesThatItWants) {
  const auto run = [](const char* limiter) {
    HostParameters parameters = shared(32);
    parameters.limiter = limiter;
    Rig rig(parameters);
    rig.keep(20, 64);
    rig.kernel.run_until(kLong);
    return rig.completed;
  };
  const double wanted = 20.0 * (kLong / kDramTime);
  const double rest = 12.0 * (kLong / kSlowTime);
  const auto alone = run("unlimited");
  const auto limited = run("yield");
  EXPECT_LT(alone[0], 0.8 * wanted);
  EXPECT_GT(limited[0], 0.97 * wanted);
  EXPECT_GT(limited[1], 0.5 * rest);
  EXPECT_LE(limited[1], 1.05 * rest);
}

// DRAM wants all entries: the slow class keeps four, and no more.
TEST(HostQueue, YieldKeepsTheFewestEntries) {
  HostParameters parameters = shared(32);
  parameters.limiter = "yield";
  Rig rig(parameters);
  rig.keep(64, 64);
  rig.kernel.run_until(kLong);
  EXPECT_NEAR(rig.completed[1], 4.0 * (kLong / kSlowTime), 0.05 * 4.0 * (kLong / kSlowTime));
  EXPECT_NEAR(rig.completed[0], 28.0 * (kLong / kDramTime), 0.01 * 28.0 * (kLong / kDramTime));
}

// Exactly the budget enters in each period while demand exceeds it.
TEST(HostQueue, ATokenRegulatorLetsItsBudgetPass) {
  HostParameters parameters = shared(64);
  parameters.limiter = "token_regulator";
  Rig rig(parameters, {{"policies.token_regulator.period", "2us"},
                       {"policies.token_regulator.slow_budget", "5"}});
  rig.keep(0, 40);
  constexpr int kPeriods = 50;
  for (int period = 0; period < kPeriods; ++period) {
    rig.kernel.run_until(Tick(2 * kMicrosecond.value() * (period + 1) - 1));
    EXPECT_EQ(rig.memory.entered.size(), 5U * (static_cast<unsigned>(period) + 1));
  }
}

// Another source has tokens of its own and does not wait for the first one.
TEST(HostQueue, ARegulatedSourceDoesNotStopAnother) {
  HostParameters parameters = shared(64);
  parameters.limiter = "token_regulator";
  Rig rig(parameters, {{"policies.token_regulator.slow_budget", "1"}});
  rig.send(MemoryClass::nvdimm, 0);
  rig.send(MemoryClass::nvdimm, 0);
  rig.send(MemoryClass::nvdimm, 1);
  ASSERT_EQ(rig.memory.entered.size(), 2U);
  EXPECT_EQ(rig.memory.entered[1].source, 1);
}

// In order of arrival, a slow request without an entry stops the DRAM requests after it.
TEST(HostQueue, OnlyFifoLetsABlockedRequestStopTheOtherClass) {
  for (const HostOrder order : {HostOrder::fifo, HostOrder::any}) {
    HostParameters parameters = shared(8, order);
    parameters.limiter = "limit";
    Rig rig(parameters, {{"policies.limit.entries", "1"}});
    rig.send(MemoryClass::nvdimm);
    rig.send(MemoryClass::nvdimm);
    rig.send(MemoryClass::dram);
    EXPECT_EQ(rig.memory.entered.size(), order == HostOrder::fifo ? 1U : 2U);
  }
}

// The flush enters after the earlier NVDIMM request of another source, and before the later one.
TEST(HostQueue, AFlushKeepsItsPlaceAmongNvdimmRequests) {
  Rig rig(shared(1));
  rig.send(MemoryClass::nvdimm, 0);
  rig.send(MemoryClass::nvdimm, 2);
  rig.send(MemoryClass::nvdimm, 0, true);
  rig.send(MemoryClass::nvdimm, 1);
  rig.kernel.run_until(kLong);
  std::vector<std::uint64_t> order;
  for (const Request& request : rig.memory.entered) {
    order.push_back(request.id);
  }
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

// Little's law over the whole run, in integers: entries x time is the sum of the times held.
TEST(HostQueue, OccupancyIsRateTimesHoldingTime) {
  Rig rig(shared(16));
  StatisticRegistry registry;
  rig.queue.register_statistics(registry);
  for (int i = 0; i < 1'000; ++i) {
    rig.send(i % 3 == 0 ? MemoryClass::nvdimm : MemoryClass::dram);
  }
  rig.kernel.run_until(kLong);
  const double time = static_cast<double>(kLong.value());
  EXPECT_DOUBLE_EQ(statistic_of(registry, "host.fast.occupancy").value,
                   666 * static_cast<double>(kDramTime.value()) / time);
  EXPECT_DOUBLE_EQ(statistic_of(registry, "host.slow.occupancy").value,
                   334 * static_cast<double>(kSlowTime.value()) / time);
}

TEST(HostQueue, RejectsSeveralNodes) {
  SystemConfig config = make_config(with(kSmallNvdimm, {{"host.queue", "shared"}}));
  config.nodes = 2;
  EXPECT_FALSE(config.check().empty());
}

}  // namespace
}  // namespace hmsim::testing
