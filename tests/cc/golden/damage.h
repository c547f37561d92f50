// SPDX-License-Identifier: BSD-3-Clause
// Some words of a saved state are changed, one at a time, and what is said of it is counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/golden/golden_run.h"
#include "tests/cc/words.h"

namespace hmsim::testing {

using Told = std::map<std::string, int>;  // messages, and how often they were given

inline GoldenValues values_of(const Told& told) {
  GoldenValues values;
  for (const auto& [message, times] : told) {
    values.emplace_back(message, std::to_string(times));
  }
  return values;
}

// Where words stand that are unlike the one before (most others are of tables that hold nothing),
// in groups from one text, mostly a section's name, to the next: in small ones words count for
// more.
inline std::vector<std::vector<std::size_t>> telling_words(const std::string& state) {
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

inline std::uint64_t another(std::uint64_t word, Random& random) {
  const std::array<std::uint64_t, 6> others{
      word + 1, word - 1, 0, std::uint64_t{1} << 20, ~std::uint64_t{0}, random.next() >> 32};
  const std::uint64_t chosen = others[random.below(others.size())];
  return chosen == word ? word + 2 : chosen;
}

// load(state): throws what loading it does.
template <class Load>
void damage(const std::string& state, std::size_t changes, std::uint64_t seed, Load load,
            Told& told) {
  const std::vector<std::vector<std::size_t>> words = telling_words(state);
  Random random(seed);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::vector<std::size_t>& group = words[random.below(words.size())];
    const std::size_t at = group[random.below(group.size())];
    try {
      load(with_word(state, at, another(word_at(state, at), random)));
      ++told["(taken)"];
    } catch (const InputError& error) {
      ++told[error.what()];
    } catch (const Fault&) {
      ++told["(a fault)"];
    }
  }
}

}  // namespace hmsim::testing
