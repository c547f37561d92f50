// SPDX-License-Identifier: BSD-3-Clause
// Changes a saved state word by word, as an attacker who can repair its checksum might.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/random.h"

namespace hmsim::testing {

constexpr std::size_t kWordBytes = 8;

template <class Bytes>
std::uint64_t word_at(const Bytes& bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return word;
}

inline std::string with_word(std::string bytes, std::size_t at, std::uint64_t word) {
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    bytes[at + i] = static_cast<char>(word >> (8 * i));
  }
  return bytes;
}

// Returns where words begin; texts, such as names of sections, shift later words.
inline std::vector<std::size_t> words_of(const std::string& bytes) {
  constexpr std::uint64_t kLongestName = 40;
  std::vector<std::size_t> words;
  for (std::size_t at = 0; at + kWordBytes <= bytes.size(); at += kWordBytes) {
    words.push_back(at);
    const std::uint64_t length = word_at(bytes, at);
    const std::size_t text = at + kWordBytes;
    if (length > 1 && length < kLongestName && text + length <= bytes.size() &&
        std::all_of(&bytes[text], &bytes[text] + length, [](char c) { return c >= ' '; })) {
      at += static_cast<std::size_t>(length);
    }
  }
  return words;
}

// Returns whether an object accepts a state completely.
template <class Object>
bool takes_all_of(const std::string& state, Object& object) {
  Archive archive(state);
  try {
    object.serialize(archive);
  } catch (const InputError&) {
    return false;
  }
  return archive.at_end();
}

struct Sweep {
  int refused = 0;  // with an InputError
  int taken = 0;
};

// Changes at most `count` words, spread evenly, each in several ways. load(state) must throw
// InputError or continue with the loaded state; a later fault does not fail the test.
template <class Load>
Sweep sweep(const std::string& state, std::size_t count, Load load) {
  Sweep done;
  const std::vector<std::size_t> words = words_of(state);
  const std::size_t stride = std::max<std::size_t>(1, words.size() / count);
  for (std::size_t i = 0; i < words.size(); i += stride) {
    const std::uint64_t word = word_at(state, words[i]);
    for (const std::uint64_t other :
         {word + 1, word - 1, std::uint64_t{3}, std::uint64_t{1} << 20, ~std::uint64_t{0},
          word ^ (std::uint64_t{1} << 31), mix64(word + i) >> 32}) {
      if (other == word) {
        continue;
      }
      try {
        load(with_word(state, words[i], other));
        ++done.taken;
      } catch (const InputError&) {
        ++done.refused;
      } catch (const Fault&) {
        ++done.taken;
      }
    }
  }
  return done;
}

}  // namespace hmsim::testing
