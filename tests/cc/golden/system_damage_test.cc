// SPDX-License-Identifier: BSD-3-Clause
// Is the damaged state of a whole simulation refused for the reasons it was? Of what each golden
// run saves on its way, a few words are changed, one at a time; how often each message is given,
// by all runs of a group, is compared with what is stored.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/checkpoint.h"
#include "tests/cc/golden/damage.h"
#include "tests/cc/golden/golden_file.h"

namespace hmsim::testing {

namespace {

constexpr std::size_t kChanges = 3'000;  // of all runs of a group

// A checkpoint without its seal, which has the identity behind magic and version.
struct Unsealed {
  explicit Unsealed(const std::string& checkpoint)
      : identity(word_at(checkpoint, 16)), state(checkpoint.substr(40)) {}
  std::uint64_t identity;
  std::string state;
};

void damage_run(const GoldenCase& golden, Tick length, std::uint64_t number, std::size_t changes,
                Told& told) {
  GoldenRun run(golden, length);
  for (std::uint64_t part = 0; part < 2 + number % 4; ++part) {
    run.do_part();
  }
  const std::string whole = run.save();
  run.load(whole);
  const Unsealed saved(whole);
  const auto load = [&](const std::string& state) {
    run.load(seal_checkpoint(state, saved.identity));
  };
  damage(saved.state, changes, number, load, told);
}

const std::vector<GoldenGroup>& groups() {
  static const std::vector<GoldenGroup> all{golden_queues(), golden_dram(), golden_flash(),
                                            golden_collection(), golden_modules()};
  return all;
}

class SystemDamage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SystemDamage, IsRefusedAsIsStored) {
  const GoldenGroup& group = groups()[GetParam()];
  Told told;
  std::uint64_t number = 0;
  for (const GoldenCase& each : group.cases) {
    damage_run(each, group.length, number++, kChanges / group.cases.size(), told);
  }
  std::vector<std::string> names;
  for (const GoldenGroup& each : groups()) {
    names.push_back(each.name);
  }
  expect_stored("system_damage", group.name, values_of(told), names);
}

INSTANTIATE_TEST_SUITE_P(All, SystemDamage, ::testing::Range<std::size_t>(0, groups().size()),
                         [](const auto& each) { return groups()[each.param].name; });

}  // namespace

}  // namespace hmsim::testing
