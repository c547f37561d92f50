// SPDX-License-Identifier: BSD-3-Clause
#include "clones/draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hmsim {

namespace {

constexpr double kTwoTo32 = 4294967296.0;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 30;

}  // namespace

std::uint64_t chance_of(double share) { return static_cast<std::uint64_t>(share * kTwoTo32); }

double fraction(Random& random) { return static_cast<double>(random.next() >> 32) / kTwoTo32; }

std::vector<double> shares_of(const std::vector<CloneBin>& bins) {
  std::vector<double> shares;
  for (const CloneBin& bin : bins) {
    shares.push_back(bin.share);
  }
  return shares;
}

Quota::Quota(const std::vector<double>& shares)
    : counts_(shares.size(), 0), wanted_(shares.size(), 0), open_(shares.size(), false) {
  std::int64_t rest = std::int64_t{1} << 32;
  for (const double share : shares) {
    shares_.push_back(static_cast<std::int64_t>(share * kTwoTo32));
    rest -= shares_.back();
  }
  if (!shares_.empty()) {
    *std::max_element(shares_.begin(), shares_.end()) += rest;
  }
}

// Returns the open case with the lowest count relative to its share.
std::size_t Quota::least(const std::vector<bool>& open) const {
  std::size_t least = size();
  double most = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto share = static_cast<double>(std::max<std::int64_t>(shares_[i], 1));
    const double excess = static_cast<double>(counts_[i]) / share;
    if (open[i] && (least == size() || excess < most)) {
      least = i;
      most = excess;
    }
  }
  return least;
}

void Quota::count(std::size_t number) {
  ++counts_[number];
  if (++total_ == kMostCounted) {
    total_ = 0;
    for (std::int64_t& count : counts_) {
      count /= 2;
      total_ += count;
    }
  }
}

BinDraw::BinDraw(std::vector<CloneBin> bins) : bins_(std::move(bins)) {
  double total = 0;
  for (const CloneBin& bin : bins_) {
    total += bin.share;
  }
  for (CloneBin& bin : bins_) {
    bin.share = total > 0 ? bin.share / total : 1 / static_cast<double>(bins_.size());
    mean_ += bin.share * bin.mean;
  }
  quota_ = Quota(shares_of(bins_));
}

double BinDraw::mean_from(double low) const {
  double sum = 0;
  for (const CloneBin& bin : bins_) {
    sum += static_cast<double>(bin.low) >= low ? bin.share * bin.mean : 0;
  }
  return sum;
}

// Draws uniformly from the longest part of the bin that is centred on the bin's mean.
std::int64_t BinDraw::within(const CloneBin& bin, Random& random) {
  const double low =
      std::max(static_cast<double>(bin.low), 2 * bin.mean - static_cast<double>(bin.high));
  const double width = 2 * (bin.mean - low) + 1;
  const auto number = static_cast<std::int64_t>(std::floor(low + width * fraction(random)));
  return std::min(std::max(number, bin.low), bin.high);
}

std::int64_t BinDraw::draw(Random& random) {
  const std::size_t number = quota_.draw(random, [](std::size_t) { return true; });
  if (number >= bins_.size()) {
    return 0;
  }
  quota_.count(number);
  return within(bins_[number], random);
}

std::int64_t BinDraw::draw_up_to(std::int64_t most, Random& random) {
  const std::size_t number =
      quota_.draw(random, [&](std::size_t i) { return bins_[i].low <= most; });
  const std::int64_t found =
      number < bins_.size() ? std::min(within(bins_[number], random), most) : most;
  count(found);
  return found;
}

void BinDraw::count(std::int64_t number) {
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (bins_[i].low <= number && number <= bins_[i].high) {
      quota_.count(i);
    }
  }
}

}  // namespace hmsim
