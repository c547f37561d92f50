// SPDX-License-Identifier: BSD-3-Clause
// Does every scheduler report the keys that it changes? The channel keeps reported keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

enum class Step : std::uint8_t { queued, commanded, ready, issued, ended };

// Returns settings that make a policy change modes within a few requests: low write marks, or a
// mode that the first miss starts.
Assignments quick(const std::string& scheduler) {
  const std::string own = "policies." + scheduler + ".";
  if (scheduler == "nvm_duet") {
    return {{own + "write_high", "8"}, {own + "write_low", "2"}};
  }
  return scheduler == "pas" ? Assignments{{own + "trigger", "any_miss"}} : Assignments{};
}

// Random traffic of both memory classes, served in the scheduler's order. Keeps each request's keys
// from the last check.
class Told {
 public:
  Told(const std::string& scheduler, std::uint64_t seed)
      : queue_(scheduler, quick(scheduler), kShape), random_(seed) {}

  bool full() const { return steps_.size() == kShape.slots; }
  int announced() const { return announced_; }
  int changed() const { return changed_; }

  void step() {
    switch (random_.below(7)) {
      case 0:
      case 1:
        return enqueue();
      case 2:
        return command();
      case 3:
        return acknowledge();
      case 4:
        return issue();
      case 5:
        return complete();
      default:
        return pass_time();
    }
  }

  // Expects that the policy has reported every request whose key changed since the last call, and
  // no issued request. A request may become withheld without a report. `own`: the request that has
  // just advanced; its key may change without a report.
  void expect_told(std::optional<std::uint32_t> own) {
    const bool all = queue_.policy().epoch() != epoch_;
    std::vector<std::uint32_t>& slots = queue_.policy().changed_slots();
    announced_ += all || !slots.empty() ? 1 : 0;
    for (const std::uint32_t slot : slots) {
      ASSERT_LT(steps_.at(slot), Step::issued) << slot;
    }
    for (std::uint32_t number = 0; number < steps_.size(); ++number) {
      if (steps_[number] >= Step::issued) {
        continue;
      }
      const Keys now = keys(number);
      ASSERT_GE(now.hit, now.miss) << "a row hit lowers no key, of " << number;
      const bool told =
          all || number == own || std::find(slots.begin(), slots.end(), number) != slots.end();
      changed_ += told && number != own && !(now == keys_[number]) ? 1 : 0;
      if (!told) {
        ASSERT_EQ(now.miss, keys_[number].miss) << number;
        ASSERT_EQ(now.hit, keys_[number].hit) << number;
        ASSERT_TRUE(now.withheld || !keys_[number].withheld) << number;
      }
      keys_[number] = now;
    }
    slots.clear();
    epoch_ = queue_.policy().epoch();
  }

 private:
  struct Keys {
    std::uint64_t miss = 0;
    std::uint64_t hit = 0;
    bool withheld = false;
    bool operator==(const Keys& other) const {
      return miss == other.miss && hit == other.hit && withheld == other.withheld;
    }
  };

  Keys keys(std::uint32_t number) const {
    RequestView view = views_[number];
    Keys found;
    found.miss = queue_.policy().key(view);
    found.withheld = queue_.policy().withholds(view);
    view.row_hit = true;
    found.hit = queue_.policy().key(view);
    return found;
  }

  void enqueue() {
    if (full()) {
      return;
    }
    const auto source = static_cast<std::uint16_t>(random_.below(3));
    const auto bank = static_cast<int>(random_.below(8));
    const auto row = static_cast<std::int64_t>(random_.below(3));
    const bool write = random_.below(3) == 0;
    RequestView view =
        random_.below(2) == 0 ? dram(source, bank, row, write) : nvdimm(source, bank, row, write);
    view.epoch = steps_.size() / 16;
    const std::uint32_t number = queue_.enqueue(view);
    view.slot = number;
    view.id = number;
    view.arrival = queue_.now();
    view.rank = view.memory == MemoryClass::nvdimm ? kShape.ranks : 0;
    views_.push_back(view);
    steps_.push_back(view.memory == MemoryClass::dram ? Step::ready : Step::queued);
    keys_.emplace_back();
    queue_.retire(source, static_cast<std::int64_t>(random_.below(200)));
    expect_told(number);
  }
  // Returns the first request in the scheduler's order that is at this step.
  std::optional<std::uint32_t> first(Step step) const {
    for (const std::uint32_t number : queue_.order()) {
      if (steps_[number] == step && !queue_.withholds(number)) {
        return number;
      }
    }
    return std::nullopt;
  }
  void go_on(std::uint32_t number) {
    steps_[number] = static_cast<Step>(static_cast<int>(steps_[number]) + 1);
  }
  void command() {
    if (const auto number = first(Step::queued)) {
      go_on(*number);
      queue_.command(*number);
      expect_told(number);
    }
  }
  void acknowledge() {
    if (const auto number = first(Step::commanded)) {
      go_on(*number);
      queue_.ack(*number);
      expect_told(number);
    }
  }
  void issue() {
    if (const auto number = first(Step::ready)) {
      go_on(*number);
      queue_.issue(*number, random_.below(2) == 0);
      expect_told(number);
    }
  }
  // Completes requests in another order than they were issued.
  void complete() {
    std::vector<std::uint32_t> under_way;
    for (std::uint32_t number = 0; number < steps_.size(); ++number) {
      if (steps_[number] == Step::issued) {
        under_way.push_back(number);
      }
    }
    if (!under_way.empty()) {
      const std::uint32_t number =
          under_way[static_cast<std::size_t>(random_.below(under_way.size()))];
      go_on(number);
      queue_.complete(number);
      expect_told(number);
    }
  }
  void pass_time() {
    const std::uint64_t longest = random_.below(8) == 0 ? 600'000 : 200;
    const auto pause = static_cast<std::int64_t>(random_.below(longest));
    queue_.run_to(queue_.now() + pause * kNanosecond);
    expect_told(std::nullopt);
  }

  Rehearsal queue_;
  Random random_;
  std::vector<RequestView> views_;  // by number
  std::vector<Step> steps_;
  std::vector<Keys> keys_;
  std::uint64_t epoch_ = 0;
  int announced_ = 0;
  int changed_ = 0;
};

class SchedulerContract : public ::testing::TestWithParam<std::string> {};

TEST_P(SchedulerContract, KeysChangeOnlyWhenAnnounced) {
  int announced = 0;
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Told told(GetParam(), seed);
    for (int i = 0; i < 4'000 && !HasFatalFailure(); ++i) {
      told.step();
    }
    ASSERT_TRUE(told.full());
    announced += told.announced();
    changed += told.changed();
  }
  // Schedulers with constant keys report nothing; the others report some changes.
  EXPECT_EQ(announced > 0, changed > 0);
}

// Among otherwise equal requests, for all schedulers except those that go by arrival alone.
TEST_P(SchedulerContract, ARowHitGoesBeforeAnOlderMiss) {
  const std::string& name = GetParam();
  Rehearsal queue(name, quick(name), kShape);
  const std::uint32_t first = queue.enqueue(dram(0, 0, 9));
  const std::uint32_t miss = queue.enqueue(dram(0, 0, 1));
  RequestView hit = dram(0, 0, 9);
  hit.row_hit = true;
  const std::uint32_t late = queue.enqueue(hit);
  queue.issue(first, false);
  const bool by_arrival = name == "fcfs" || name == "fcfs_strict";
  const bool in_groups = name == "firm";  // batches, in order of arrival
  EXPECT_EQ(queue.order().front(), by_arrival || in_groups ? miss : late);
}

// Parts of the configuration that a policy decides, so that comparisons leave them alone.
TEST_P(SchedulerContract, SomeDecideWhenWritesGoAndOneTheOrderOfCommands) {
  const std::string& name = GetParam();
  const Rehearsal queue(name, {}, kShape);
  EXPECT_EQ(queue.policy().sets_direction(), name == "firm" || name == "nvm_duet");
  EXPECT_EQ(queue.policy().orders_commands(), name == "pas" || name == "bank_cache");
}

// Two changes are at least a cycle apart; otherwise time would not advance.
TEST(Schedulers, ChangesAreACycleApartAtLeast) {
  const Tick cycle = kShape.clock_period;
  for (const auto& [name, time] :
       std::vector<std::pair<std::string, std::string>>{{"atlas", "quantum"},
                                                        {"bliss", "clearing_interval"},
                                                        {"firm", "interval"},
                                                        {"tcm", "quantum"}}) {
    Rehearsal queue(name, {{"policies." + name + "." + time, "0s"}}, kShape);
    EXPECT_EQ(queue.policy().next_change(), cycle) << name;
    queue.policy().change(5 * cycle);
    EXPECT_EQ(queue.policy().next_change(), 6 * cycle) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SchedulerContract,
                         ::testing::ValuesIn(policy_names(PolicyKind::transaction_scheduler)),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace hmsim::testing
