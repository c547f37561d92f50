// SPDX-License-Identifier: BSD-3-Clause
// Draws of cases and numbers whose frequencies stay close to the wanted shares at all times. Even a
// clone of a few thousand accesses then has the shares of its profile.
#pragma once

#include <cstdint>
#include <vector>

#include "clones/profile.h"
#include "core/random.h"

namespace hmsim {

std::uint64_t chance_of(double share);  // for Random::chance
double fraction(Random& random);        // uniform in [0, 1)

// Draws cases so that their counts stay close to the given shares.
class Quota {
 public:
  Quota() = default;
  explicit Quota(const std::vector<double>& shares);
  // Draws one of the open cases without counting it. Returns size() if none is open.
  template <class Open>
  std::size_t draw(Random& random, Open open);
  void count(std::size_t number);
  std::size_t size() const { return shares_.size(); }

 private:
  std::size_t least(const std::vector<bool>& open) const;

  std::vector<std::int64_t> shares_;  // x 2^32
  std::vector<std::int64_t> counts_;
  std::int64_t total_ = 0;
  std::vector<std::int64_t> wanted_;  // scratch
  std::vector<bool> open_;            // scratch
};

// Draws numbers from bins.
class BinDraw {
 public:
  BinDraw() = default;
  explicit BinDraw(std::vector<CloneBin> bins);
  // Draws a number from 1 to `most` and counts it in its bin.
  std::int64_t draw_up_to(std::int64_t most, Random& random);
  void count(std::int64_t number);    // counts the number as if drawn
  std::int64_t draw(Random& random);  // 0 if there are no bins
  double mean() const { return mean_; }
  // Returns the contribution of numbers of at least `low` to the mean.
  double mean_from(double low) const;
  bool empty() const { return bins_.empty(); }
  static std::int64_t within(const CloneBin& bin, Random& random);

 private:
  std::vector<CloneBin> bins_;
  Quota quota_;
  double mean_ = 0;
};

std::vector<double> shares_of(const std::vector<CloneBin>& bins);

template <class Open>
std::size_t Quota::draw(Random& random, Open open) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::int64_t deficit = shares_[i] * (total_ + 1) - (counts_[i] << 32);
    open_[i] = open(i);
    wanted_[i] = open_[i] && deficit > 0 ? deficit : 0;
    sum += wanted_[i];
  }
  if (sum == 0) {  // no case is below its share
    return least(open_);
  }
  auto at = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sum)));
  std::size_t i = 0;
  while (i + 1 < wanted_.size() && at >= wanted_[i]) {
    at -= wanted_[i++];
  }
  return i;
}

}  // namespace hmsim
