// SPDX-License-Identifier: BSD-3-Clause
// Does a scheduler that is saved and loaded repeatedly continue like one that never is?
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

struct Case {
  std::string name;
  std::string scheduler;
  Assignments own;  // parameters of the scheduler
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

// All schedulers with times and marks small enough for these few requests, and some with other
// parameters.
std::vector<Case> cases() {
  const Assignments atlas{{"quantum", "20us"}};
  const Assignments firm{{"interval", "20us"}, {"batch_cap", "4"}, {"turnaround_share", "100"}};
  const Assignments tcm{{"quantum", "20us"}, {"cluster_threshold", "0.1"}};
  const Assignments duet{{"write_high", "8"}, {"write_low", "2"}};
  std::vector<Case> all;
  for (const std::string& name : policy_names(PolicyKind::transaction_scheduler)) {
    all.push_back({name, name,
                   name == "atlas"      ? atlas
                   : name == "firm"     ? firm
                   : name == "tcm"      ? tcm
                   : name == "nvm_duet" ? duet
                                        : Assignments{}});
  }
  const auto other = [&](const char* name, const char* scheduler, Assignments own,
                         const Assignments& more) {
    own.insert(own.end(), more.begin(), more.end());
    all.push_back({name, scheduler, own});
  };
  other("atlas_bank", "atlas", atlas, {{"nvdimm_service", "bank"}, {"sources", "core_class"}});
  other("tcm_bank", "tcm", tcm, {{"nvdimm_service", "bank"}});
  other("tcm_core", "tcm", tcm, {{"sources", "core"}, {"shuffle_threshold", "1"}});
  other("firm_class", "firm", firm, {{"sources", "class"}});
  other("par_bs_reads", "par_bs", {}, {{"marks", "reads"}});
  other("pas_any_miss", "pas", {}, {{"trigger", "any_miss"}, {"return_after", "2"}});
  other("fr_fcfs_cap_1", "fr_fcfs_cap", {}, {{"cap", "1"}});
  return all;
}

// One scheduler that is never saved, one that is, and a third that loads the second one's state
// over its own and replaces it.
class Twins final : public SourceProgress {
 public:
  Twins(const Case& one, std::uint64_t seed) : random_(seed) {
    for (auto& policy : policies_) {
      policy = make(one);
      policy->connect(shape(), *this);
    }
    held_.resize(kSlots);
    steps_.resize(kSlots, Step::none);
  }

  void step() {
    switch (random_.below(8)) {
      case 0:
      case 1:
        enqueue();
        break;
      case 2:
        advance(Step::queued, Step::commanded, &TransactionPolicy::on_command);
        break;
      case 3:
        advance(Step::commanded, Step::ready, &TransactionPolicy::on_ack);
        break;
      case 4:
        advance(Step::ready, Step::issued, &TransactionPolicy::on_issue);
        break;
      case 5:
        advance(Step::issued, Step::none, &TransactionPolicy::on_complete);
        break;
      case 6:
        retired_[static_cast<std::size_t>(random_.below(kCores))] += random_.below(2000);
        break;
      default:
        pass_time();
    }
  }

  void save_and_load() {
    TransactionScheduler& saved = *policies_[1];
    TransactionScheduler& loaded = *policies_[2];
    Archive archive;
    saved.serialize(archive);
    saved.serialize_changes(archive);
    Archive loading(archive.bytes());
    loaded.serialize(loading);
    loaded.serialize_changes(loading);
    EXPECT_TRUE(loading.at_end());
    std::swap(policies_[1], policies_[2]);
  }

  void expect_alike() {
    const TransactionScheduler& one = *policies_[0];
    const TransactionScheduler& other = *policies_[1];
    ASSERT_EQ(other.direction(), one.direction());
    ASSERT_EQ(other.next_change(), one.next_change());
    ASSERT_EQ(other.epoch(), one.epoch());
    ASSERT_EQ(policies_[1]->changed_slots(), policies_[0]->changed_slots());
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if (steps_[slot] != Step::none && steps_[slot] != Step::issued) {
        RequestView view = held_[slot];
        for (const bool hit : {false, true}) {
          view.row_hit = hit;
          ASSERT_EQ(other.key(view), one.key(view)) << slot;
        }
        ASSERT_EQ(other.withholds(view), one.withholds(view)) << slot;
      }
    }
    // The controller takes them from time to time.
    if (random_.below(4) == 0) {
      policies_[0]->changed_slots().clear();
      policies_[1]->changed_slots().clear();
    }
  }

  std::int64_t instructions(std::uint16_t core) const override { return retired_.at(core); }

 private:
  enum class Step : std::uint8_t { none, queued, commanded, ready, issued };
  using Hook = void (TransactionPolicy::*)(const RequestView&, Tick);
  static constexpr std::uint32_t kSlots = 24;
  static constexpr std::uint64_t kCores = 4;

  static ChannelShape shape() {
    ChannelShape shape = kShape;
    shape.slots = kSlots;
    shape.dram_slots = shape.nvdimm_slots = kSlots;
    return shape;
  }
  static std::unique_ptr<TransactionScheduler> make(const Case& one) {
    Assignments assignments;
    for (const Assignment& each : one.own) {
      assignments.emplace_back("policies." + one.scheduler + "." + each.first, each.second);
    }
    return create_policy<TransactionScheduler>(PolicyKind::transaction_scheduler, one.scheduler,
                                               assignments);
  }

  void notify(Hook hook, const RequestView& view) {
    for (std::size_t i = 0; i < 2; ++i) {
      ((*policies_[i]).*hook)(view, now_);
    }
  }
  // Returns a slot at this step that is not withheld.
  std::size_t any(Step step) {
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      const bool withheld = step != Step::issued && steps_[slot] == step && step != Step::none &&
                            policies_[0]->withholds(held_[slot]);
      if (steps_[slot] == step && !withheld) {
        slots.push_back(slot);
      }
    }
    return slots.empty() ? kSlots : slots[static_cast<std::size_t>(random_.below(slots.size()))];
  }

  void enqueue() {
    const std::size_t slot = any(Step::none);
    if (slot == kSlots) {
      return;
    }
    const auto core = static_cast<std::uint16_t>(random_.below(kCores));
    const auto bank = static_cast<int>(random_.below(4));
    const auto row = static_cast<std::int64_t>(random_.below(3));
    const bool write = random_.below(2) == 0;
    RequestView view =
        random_.below(2) == 0 ? dram(core, bank, row, write) : nvdimm(core, bank, row, write);
    view.slot = static_cast<std::uint32_t>(slot);
    view.id = next_id_++;
    view.arrival = now_;
    view.epoch = next_id_ / 16;
    view.rank = view.memory == MemoryClass::nvdimm ? kShape.ranks : 0;
    held_[slot] = view;
    steps_[slot] = view.memory == MemoryClass::dram ? Step::ready : Step::queued;
    notify(&TransactionPolicy::on_enqueue, view);
  }
  void advance(Step from, Step to, Hook hook) {
    const std::size_t slot = any(from);
    if (slot == kSlots) {
      return;
    }
    steps_[slot] = to;
    RequestView view = held_[slot];
    view.row_hit = random_.below(2) == 0;
    notify(hook, view);
  }
  // Mostly short; sometimes an interval.
  void pass_time() {
    const Tick longest = (random_.below(8) == 0 ? 25'000 : 500) * kNanosecond;
    const Tick then =
        now_ +
        Tick(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(longest.value()))));
    while (policies_[0]->next_change() <= then) {
      now_ = later(now_, policies_[0]->next_change());
      policies_[0]->change(now_);
      policies_[1]->change(now_);
      ASSERT_EQ(policies_[1]->next_change(), policies_[0]->next_change());
    }
    now_ = then;
  }

  Random random_;
  std::array<std::unique_ptr<TransactionScheduler>, 3> policies_;
  std::array<std::int64_t, kCores> retired_{};
  std::vector<RequestView> held_;  // by slot, like the steps
  std::vector<Step> steps_;
  std::uint64_t next_id_ = 0;
  Tick now_{0};
};

class SchedulerCheckpoints : public ::testing::TestWithParam<Case> {};

TEST_P(SchedulerCheckpoints, ASavedStateContinuesExactly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Twins twins(GetParam(), seed);
    for (int i = 0; i < 3'000 && !HasFatalFailure(); ++i) {
      twins.step();
      twins.expect_alike();
      if (i % 7 == 0) {
        twins.save_and_load();
        twins.expect_alike();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SchedulerCheckpoints, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace hmsim::testing
