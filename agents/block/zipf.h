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

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.h"

namespace hmsim {

class Zipf {
 public:
  static constexpr double kLargestTheta = 10;

  Zipf() : Zipf(1, 0) {}
  // `ranks` is 1 to 2^52. `theta` is 0 (uniform) to kLargestTheta.
  Zipf(std::uint64_t ranks, double theta) : theta_(theta) {
    double total = 0;
    for (std::uint64_t first = 1; first <= ranks;) {
      const std::uint64_t width =
          std::min(std::max<std::uint64_t>(first / kFineness, 1), ranks - first + 1);
      buckets_.push_back({first, width, power_of(static_cast<double>(first), theta), 0});
      total += static_cast<double>(width) / buckets_.back().power;
      first += width;
    }
    std::uint64_t end = 0;
    for (Bucket& bucket : buckets_) {
      const double share = static_cast<double>(bucket.width) / bucket.power / total;
      end += static_cast<std::uint64_t>(share * kTwoTo62);
      bucket.end = end;
    }
  }

  // Returns a rank; 0 is the most likely one.
  std::uint64_t draw(Random& random) const {
    while (true) {
      const std::uint64_t at = random.below(buckets_.back().end);
      const Bucket& bucket = *std::upper_bound(
          buckets_.begin(), buckets_.end(), at,
          [](std::uint64_t value, const Bucket& each) { return value < each.end; });
      if (bucket.width == 1) {
        return bucket.first - 1;
      }
      const std::uint64_t rank = bucket.first + random.below(bucket.width);
      const double kept = bucket.power / power_of(static_cast<double>(rank), theta_);
      if ((random.next() >> 11) < static_cast<std::uint64_t>(kept * kTwoTo53)) {
        return rank - 1;
      }
    }
  }

 private:
  static constexpr std::uint64_t kFineness = 64;  // ratio of the ranks before a bucket to its width
  static constexpr double kTwoTo53 = 0x1p53;      // unit of acceptance probabilities
  static constexpr double kTwoTo62 = 0x1p62;      // unit of bucket likelihoods
  static constexpr double kSmallestFraction = 0x1p-53;  // of an exponent

  // Returns base^exponent for base >= 1 and exponent >= 0, by products and square roots.
  static double power_of(double base, double exponent) {
    double result = 1;
    while (exponent >= 1) {
      result *= base;
      exponent -= 1;
    }
    double root = base;
    double bit = 0.5;
    while (exponent > 0 && bit > kSmallestFraction) {
      root = std::sqrt(root);
      if (exponent >= bit) {
        result *= root;
        exponent -= bit;
      }
      bit /= 2;
    }
    return result;
  }

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
