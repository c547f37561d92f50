// SPDX-License-Identifier: BSD-3-Clause
// Is a damaged checkpoint with a correct checksum harmless? Words of the states that golden runs
// save are changed. Loading rejects the state with an InputError, or the run continues, possibly to
// a reported fault. tests/fuzz/fuzz_states.cc tries many more.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint.h"
#include "core/random.h"
#include "tests/cc/golden/golden_run.h"
#include "tests/cc/words.h"

namespace hmsim::testing {

namespace {

constexpr std::size_t kChanges = 400;  // over all runs of a group

// Returns where words differ from the previous word, in groups from one text, usually the name of a
// section, to the next. Most other words belong to empty tables.
std::vector<std::vector<std::size_t>> distinct_words(const std::string& state) {
  std::vector<std::vector<std::size_t>> groups(1);
  std::size_t at_last = 0;
  std::uint64_t last = 0;
  for (const std::size_t at : words_of(state)) {
    if (at > at_last + kWordBytes && !groups.back().empty()) {
      groups.emplace_back();
    }
    const std::uint64_t word = word_at(state, at);
    if (word != last) {
      groups.back().push_back(at);
    }
    at_last = at;
    last = word;
  }
  if (groups.back().empty()) {
    groups.pop_back();
  }
  return groups;
}

std::uint64_t another(std::uint64_t word, Random& random) {
  const std::array<std::uint64_t, 6> others{
      word + 1, word - 1, 0, std::uint64_t{1} << 20, ~std::uint64_t{0}, random.next() >> 32};
  const std::uint64_t chosen = others[random.below(others.size())];
  return chosen == word ? word + 2 : chosen;
}

// A checkpoint without its seal. The identity follows magic and version.
struct Unsealed {
  explicit Unsealed(const std::string& checkpoint)
      : identity(word_at(checkpoint, 16)), state(checkpoint.substr(40)) {}
  std::uint64_t identity;
  std::string state;
};

struct Outcomes {
  int refused = 0;
  int loaded = 0;
};

void damage_run(const GoldenCase& golden, Tick length, std::uint64_t number, std::size_t changes,
                Outcomes& outcomes) {
  auto run = std::make_unique<GoldenRun>(golden, length);
  for (std::uint64_t part = 0; part < 2 + number % 4; ++part) {
    run->do_part();
  }
  const Unsealed saved(run->save());
  const std::vector<std::vector<std::size_t>> words = distinct_words(saved.state);
  Random random(number);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::vector<std::size_t>& group = words[random.below(words.size())];
    const std::size_t at = group[random.below(group.size())];
    const std::string state = with_word(saved.state, at, another(word_at(saved.state, at), random));
    try {
      run->load(seal_checkpoint(state, saved.identity));
    } catch (const InputError&) {
      ++outcomes.refused;
      continue;
    }
    ++outcomes.loaded;
    try {
      run->run_on(20 * kMicrosecond, 500);
    } catch (const InputError&) {  // a fault, reported as an error of the file
    }
    run = std::make_unique<GoldenRun>(golden, length);
  }
}

class DamagedStates : public ::testing::TestWithParam<std::size_t> {};

TEST_P(DamagedStates, AreRejectedOrHarmless) {
  const GoldenGroup group = golden_groups()[GetParam()];
  Outcomes outcomes;
  std::uint64_t number = 0;
  for (const GoldenCase& each : group.cases) {
    damage_run(each, group.length, number++, 1 + kChanges / group.cases.size(), outcomes);
  }
  EXPECT_GT(outcomes.refused, 0);
  EXPECT_GT(outcomes.loaded, 0);
}

INSTANTIATE_TEST_SUITE_P(All, DamagedStates,
                         ::testing::Range<std::size_t>(0, golden_groups().size()),
                         [](const auto& each) { return golden_groups()[each.param].name; });

}  // namespace

}  // namespace hmsim::testing
