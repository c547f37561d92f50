// SPDX-License-Identifier: BSD-3-Clause
// Draws ranks by Zipf's law: rank k of n comes with probability k^-theta / (1 + 2^-theta + ... +
// n^-theta).
//
// Ranks stand in buckets, each of one rank, or of a 64th of those before it. A draw takes a bucket
// as if all of its ranks were as likely as the first, then one of its ranks, and keeps that with
// the ratio of the two likelihoods, or draws again: the law is met exactly, by a table of some
// thousand entries however many ranks there are. All that is computed with are correctly rounded
// operations (no library's pow), so that draws are the same on every platform.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace hmsim {

class Zipf {
 public:
  static constexpr double kLargestTheta = 10;

  Zipf() : Zipf(1, 0) {}
  // `ranks` is 1 to 2^52; theta 0 to kLargestTheta, where 0 makes all ranks as likely.
  Zipf(std::uint64_t ranks, double theta);

  std::uint64_t draw(Random& random) const;  // from 0, the likeliest

 private:
  struct Bucket {
    std::uint64_t first;  // rank, from 1
    std::uint64_t width;  // ranks
    double power;         // first^theta
    std::uint64_t end;    // of its part of [0, buckets_.back().end)
  };

  double theta_;
  std::vector<Bucket> buckets_;
};

}  // namespace hmsim
