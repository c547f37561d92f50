// SPDX-License-Identifier: BSD-3-Clause
// Zipf distribution of ranks: rank k of n has probability k^-theta / (1 + 2^-theta + ... +
// n^-theta).
//
// Ranks are grouped in buckets of one rank, or of 1/64 of the ranks before the bucket. A draw
// chooses a bucket as if all its ranks were as likely as the first, then chooses one of its ranks.
// It accepts the rank with the ratio of the two likelihoods, and otherwise draws again. The result
// is exact, with a table of some thousand entries for any number of ranks. All operations are
// correctly rounded (no library pow), so draws are the same on every platform.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace hmsim {

class Zipf {
 public:
  static constexpr double kLargestTheta = 10;

  Zipf() : Zipf(1, 0) {}
  // `ranks` is 1 to 2^52. `theta` is 0 (uniform) to kLargestTheta.
  Zipf(std::uint64_t ranks, double theta);

  std::uint64_t draw(Random& random) const;  // 0 is the most likely rank

 private:
  struct Bucket {
    std::uint64_t first;  // rank, from 1
    std::uint64_t width;  // ranks
    double power;         // first^theta
    std::uint64_t end;    // of its share of [0, buckets_.back().end)
  };

  double theta_;
  std::vector<Bucket> buckets_;
};

}  // namespace hmsim
