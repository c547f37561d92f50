// SPDX-License-Identifier: BSD-3-Clause
// Seeded random numbers that are identical on every platform: xoshiro256** seeded by SplitMix64
// (Blackman and Vigna, "Scrambled linear pseudorandom number generators").
#pragma once

#include <array>
#include <cstdint>

namespace hmsim {

class Archive;

// One step of SplitMix64. Also serves as a 64-bit hash of its argument.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Random number generator with 256 bits of state.
class Random {
 public:
  // Streams with different `stream` numbers under one seed are independent.
  explicit Random(std::uint64_t seed = 1, std::uint64_t stream = 0);

  std::uint64_t next();

  // Returns a uniform, unbiased number in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);

  // Returns true with probability numerator / 2^32.
  bool chance(std::uint64_t numerator) { return (next() >> 32) < numerator; }

  void serialize(Archive& archive);

 private:
  std::array<std::uint64_t, 4> state_{};
};

// Seeded permutation of [0, size), computed without a table: a four-round Feistel network on the
// next even power of two, repeated until the result is below `size` (cycle walking).
class Permutation {
 public:
  Permutation() : Permutation(1, 0) {}
  Permutation(std::uint64_t size, std::uint64_t seed);

  std::uint64_t size() const { return size_; }
  std::uint64_t operator()(std::uint64_t index) const;  // index < size

 private:
  std::uint64_t size_;
  int half_bits_;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace hmsim
