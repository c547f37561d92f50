// SPDX-License-Identifier: BSD-3-Clause
// Is the damaged state of a whole simulation refused for the reasons it was? Of what each golden
// run saves on its way, a few words are changed, one at a time; how often each message is given,
// by all runs of a group, is compared with what is stored.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint.h"
#include "core/random.h"
#include "tests/cc/golden/golden_file.h"
#include "tests/cc/golden/golden_run.h"
#include "tests/cc/words.h"

namespace hmsim::testing {

namespace {

constexpr std::size_t kChanges = 4'000;  // of all runs of a group

// A checkpoint without its seal, which has the identity behind magic and version.
struct Unsealed {
  explicit Unsealed(const std::string& checkpoint)
      : identity(word_at(checkpoint, 16)), state(checkpoint.substr(40)) {}
  std::uint64_t identity;
  std::string state;
};

// Where words stand that are unlike the one before (most others are of tables that hold nothing),
// in groups from one text, mostly a section's name, to the next: in small ones words count for
// more.
std::vector<std::vector<std::size_t>> telling_words(const std::string& state) {
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

using Told = std::map<std::string, int>;  // messages, and how often they were given

void damage(const GoldenCase& golden, Tick length, std::uint64_t number, std::size_t changes,
            Told& told) {
  GoldenRun run(golden, length);
  for (std::uint64_t part = 0; part < 2 + number % 4; ++part) {
    run.do_part();
  }
  const std::string whole = run.save();
  run.load(whole);
  const Unsealed saved(whole);
  const std::vector<std::vector<std::size_t>> words = telling_words(saved.state);
  Random random(number);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::vector<std::size_t>& group = words[random.below(words.size())];
    const std::size_t at = group[random.below(group.size())];
    const std::string changed =
        with_word(saved.state, at, another(word_at(saved.state, at), random));
    try {
      run.load(seal_checkpoint(changed, saved.identity));
      ++told["(taken)"];
    } catch (const InputError& error) {
      ++told[error.what()];
    } catch (const Fault&) {
      ++told["(a fault)"];
    }
  }
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
    damage(each, group.length, number++, kChanges / group.cases.size(), told);
  }
  GoldenValues values;
  for (const auto& [message, times] : told) {
    values.emplace_back(message, std::to_string(times));
  }
  std::vector<std::string> names;
  for (const GoldenGroup& each : groups()) {
    names.push_back(each.name);
  }
  expect_stored("system_damage", group.name, values, names);
}

INSTANTIATE_TEST_SUITE_P(All, SystemDamage, ::testing::Range<std::size_t>(0, groups().size()),
                         [](const auto& each) { return groups()[each.param].name; });

}  // namespace

}  // namespace hmsim::testing
