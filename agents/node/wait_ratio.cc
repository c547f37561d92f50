// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/wait_ratio.h"

#include <algorithm>
#include <cmath>

namespace hmsim {

namespace {

constexpr std::int64_t kRateLoads = std::int64_t{1} << 16;

}  // namespace

void WaitRatio::add(std::int64_t waits, std::int64_t loads) {
  waits_ += std::max<std::int64_t>(0, waits);
  loads_ += loads;
}

void WaitRatio::close_window() {
  if (loads_ > 0) {
    const auto waits = static_cast<double>(waits_);
    const auto loads = static_cast<double>(loads_);
    ++windows_;
    w_ += waits;
    l_ += loads;
    ww_ += waits * waits;
    wl_ += waits * loads;
    ll_ += loads * loads;
  }
  waits_ = loads_ = 0;
}

void WaitRatio::add_to_pilot(std::int64_t waits, std::int64_t loads) {
  pilot_waits_ += std::max<std::int64_t>(0, waits);
  pilot_loads_ += loads;
}

void WaitRatio::close_pilot() {
  add_to_pilot(waits_, loads_);
  waits_ = loads_ = 0;
}

double WaitRatio::ratio() const {
  if (windows_ > 0) {
    return w_ / l_;
  }
  return pilot_loads_ > 0 ? static_cast<double>(pilot_waits_) / static_cast<double>(pilot_loads_)
                          : 0;
}

SkipRate WaitRatio::rate() const {
  return {std::llround(ratio() * static_cast<double>(kRateLoads)), kRateLoads};
}

double WaitRatio::standard_error() const {
  if (windows_ < 2) {
    return ratio();
  }
  const auto count = static_cast<double>(windows_);
  const double squares = std::max(0.0, ww_ - 2 * ratio() * wl_ + ratio() * ratio() * ll_);
  return std::sqrt(squares / (count - 1) * count) / l_;
}

void WaitRatio::serialize(Archive& archive) {
  archive(waits_, loads_, pilot_waits_, pilot_loads_, windows_, w_, l_, ww_, wl_, ll_);
  archive.check(loads_ >= 0 && pilot_loads_ >= 0 && (windows_ == 0 || l_ > 0),
                "invalid sums over windows of a job");
}

}  // namespace hmsim
