// SPDX-License-Identifier: BSD-3-Clause
// Is a scheduler's damaged state refused for the reasons it was? Each word of what it saves is
// changed in several ways; how often each message is given is compared with what is stored.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/golden/golden_file.h"
#include "tests/cc/policies/rehearsed.h"
#include "tests/cc/words.h"

namespace hmsim::testing {

namespace {

struct Damaged {
  std::string scheduler;
  Assignments assignments;
};

const std::array<Damaged, 8> kDamaged{{
    {"atlas", {{"policies.atlas.quantum", "400ns"}}},
    {"bliss", {}},
    {"firm", {{"policies.firm.interval", "400ns"}}},
    {"fr_fcfs_cap", {}},
    {"nvm_duet", {}},
    {"par_bs", {}},
    {"pas", {}},
    {"tcm", {{"policies.tcm.quantum", "400ns"}}},
}};

constexpr std::uint32_t kSlots = 24;

// Every slot is taken; some of the requests have made their steps.
HeldRequests rehearse(Rehearsal& rehearsal) {
  Random random(3);
  HeldRequests held;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const auto core = static_cast<std::uint16_t>(random.below(3));
    const int bank = static_cast<int>(random.below(4));
    const auto row = static_cast<std::int64_t>(random.below(3));
    const bool write = random.below(2) == 0;
    const bool to_nvdimm = random.below(2) == 0;
    HeldRequest each;
    each.view = to_nvdimm ? nvdimm(core, bank, row, write) : dram(core, bank, row, write);
    each.view.epoch = to_nvdimm && write ? slot / 8 : 0;
    rehearsal.enqueue(each.view);
    each.view.slot = slot;
    each.view.id = slot;
    each.view.arrival = rehearsal.now();
    each.view.rank = to_nvdimm ? kShape.ranks : 0;
    each.commanded = to_nvdimm && random.below(2) == 0;
    each.acknowledged = each.commanded && random.below(2) == 0;
    each.issued = random.below(4) == 0 && (!to_nvdimm || each.acknowledged);
    if (each.commanded) {
      rehearsal.command(slot);
    }
    if (each.acknowledged) {
      rehearsal.ack(slot);
    }
    if (each.issued) {
      rehearsal.issue(slot, false);
    }
    rehearsal.run_to(rehearsal.now() + 50 * kNanosecond);
    held.push_back(each);
  }
  return held;
}

// The same requests, but for one thing of one of them.
std::vector<HeldRequests> otherwise_held(const HeldRequests& held) {
  using Change = void (*)(HeldRequest&);
  constexpr std::array<Change, 9> kChanges{
      [](HeldRequest& each) { each.view.source = 9; },
      [](HeldRequest& each) { each.view.source = each.view.source == 0 ? 1 : 0; },
      [](HeldRequest& each) { each.view.bank = each.view.bank == 0 ? 1 : 0; },
      [](HeldRequest& each) { ++each.view.row; },
      [](HeldRequest& each) { ++each.view.epoch; },
      [](HeldRequest& each) { each.view.write = !each.view.write; },
      [](HeldRequest& each) { each.commanded = !each.commanded; },
      [](HeldRequest& each) { each.acknowledged = !each.acknowledged; },
      [](HeldRequest& each) { each.issued = !each.issued; }};
  std::vector<HeldRequests> others;
  for (std::size_t i = 0; i < held.size(); ++i) {
    for (const Change change : kChanges) {
      others.push_back(held);
      change(others.back()[i]);
    }
    others.push_back(held);
    others.back().erase(others.back().begin() + static_cast<std::ptrdiff_t>(i));
  }
  return others;
}

class SchedulerDamage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SchedulerDamage, IsRefusedAsIsStored) {
  const Damaged& damaged = kDamaged[GetParam()];
  ChannelShape shape = kShape;
  shape.slots = kSlots;
  Rehearsal saved(damaged.scheduler, damaged.assignments, shape);
  const HeldRequests held = rehearse(saved);
  std::map<std::string, int> told;
  const auto load = [&](const std::string& state) {
    Rehearsal loaded(damaged.scheduler, damaged.assignments, shape);
    Archive archive(state);
    try {
      loaded.policy().serialize(archive);
      loaded.policy().check_held(archive, held);
    } catch (const InputError& error) {
      ++told[error.what()];
    }
  };
  Archive whole;
  saved.policy().serialize(whole);
  load(whole.bytes());
  EXPECT_TRUE(told.empty()) << told.begin()->first;
  sweep(whole.bytes(), whole.bytes().size(), load);
  for (const HeldRequests& other : otherwise_held(held)) {
    Rehearsal loaded(damaged.scheduler, damaged.assignments, shape);
    Archive archive(whole.bytes());
    try {
      loaded.policy().serialize(archive);
      loaded.policy().check_held(archive, other);
    } catch (const InputError& error) {
      ++told[std::string("of other requests: ") + error.what()];
    }
  }
  GoldenValues values;
  for (const auto& [message, times] : told) {
    values.emplace_back(message, std::to_string(times));
  }
  std::vector<std::string> names;
  for (const Damaged& each : kDamaged) {
    names.push_back(each.scheduler);
  }
  expect_stored("scheduler_damage", damaged.scheduler, values, names);
}

INSTANTIATE_TEST_SUITE_P(All, SchedulerDamage, ::testing::Range<std::size_t>(0, kDamaged.size()),
                         [](const auto& each) { return kDamaged[each.param].scheduler; });

}  // namespace

}  // namespace hmsim::testing
