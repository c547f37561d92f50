// SPDX-License-Identifier: BSD-3-Clause
#include "core/random.h"

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::uint64_t rotate_left(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

// High and low halves of a 64 x 64 -> 128 bit product.
struct Wide {
  std::uint64_t high;
  std::uint64_t low;
};

inline Wide multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = mix64(seed) ^ mix64(~stream);
  for (std::uint64_t& word : state_) {
    word = mix64(x);
    x += 0x9E3779B97F4A7C15u;
  }
}

std::uint64_t Random::next() {
  const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Lemire, "Fast random integer generation in an interval" (2019).
  Wide product = multiply(next(), bound);
  if (product.low < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (product.low < threshold) {
      product = multiply(next(), bound);
    }
  }
  return product.high;
}

void Random::serialize(Archive& archive) {
  archive(state_);
  archive.check((state_[0] | state_[1] | state_[2] | state_[3]) != 0,
                "source of random numbers with an all-zero state");
}

Permutation::Permutation(std::uint64_t size, std::uint64_t seed) : size_(size), half_bits_(1) {
  while (half_bits_ < 31 && (std::uint64_t{1} << (2 * half_bits_)) < size) {
    ++half_bits_;
  }
  for (std::uint64_t i = 0; i < keys_.size(); ++i) {
    keys_[i] = mix64(seed * keys_.size() + i);
  }
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_;
    std::uint64_t right = index & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t swapped = left ^ (mix64(right ^ key) & mask);
      left = right;
      right = swapped;
    }
    index = (left << half_bits_) | right;
  } while (index >= size_);
  return index;
}

}  // namespace hmsim
