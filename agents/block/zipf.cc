// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/zipf.h"

#include <algorithm>
#include <cmath>

namespace hmsim {

namespace {

constexpr std::uint64_t kFineness = 64;        // ratio of the ranks before a bucket to its width
constexpr double kTwoTo53 = 0x1p53;            // unit of acceptance probabilities
constexpr double kTwoTo62 = 0x1p62;            // unit of bucket likelihoods
constexpr double kSmallestFraction = 0x1p-53;  // of an exponent

// Returns base^exponent for base >= 1 and exponent >= 0, by products and square roots.
double power(double base, double exponent) {
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

}  // namespace

Zipf::Zipf(std::uint64_t ranks, double theta) : theta_(theta) {
  double total = 0;
  for (std::uint64_t first = 1; first <= ranks;) {
    const std::uint64_t width =
        std::min(std::max<std::uint64_t>(first / kFineness, 1), ranks - first + 1);
    buckets_.push_back({first, width, power(static_cast<double>(first), theta), 0});
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

std::uint64_t Zipf::draw(Random& random) const {
  while (true) {
    const std::uint64_t at = random.below(buckets_.back().end);
    const Bucket& bucket =
        *std::upper_bound(buckets_.begin(), buckets_.end(), at,
                          [](std::uint64_t value, const Bucket& each) { return value < each.end; });
    if (bucket.width == 1) {
      return bucket.first - 1;
    }
    const std::uint64_t rank = bucket.first + random.below(bucket.width);
    const double kept = bucket.power / power(static_cast<double>(rank), theta_);
    if ((random.next() >> 11) < static_cast<std::uint64_t>(kept * kTwoTo53)) {
      return rank - 1;
    }
  }
}

}  // namespace hmsim
