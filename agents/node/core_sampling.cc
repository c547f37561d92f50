// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/core_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kStream = 0x73616D706C65;  // of random numbers, used for nothing else
constexpr std::int64_t kMost = std::int64_t{1} << 48;
// Most loads of a rate. Its products with the slots and loads of a step then stay below 2^63.
constexpr std::int64_t kMostRateLoads = std::int64_t{1} << 20;

}  // namespace

void SamplingKeys::declare(ParameterSet& parameters) {
  const char* const source = "Wunderlich et al., SMARTS, ISCA 2003";
  parameters.integer("sampling.period", period, {0, kMost}, "instructions",
                     {"instructions of all cores from the begin of a sampled window to that of the "
                      "next; between windows, cores do not access DRAM; 0: no sampling",
                      source});
  parameters.integer("sampling.length", length, {1, kMost}, "instructions",
                     {"measured instructions of a window", source});
  parameters.integer("sampling.warmup", warmup, {0, kMost}, "instructions",
                     {"instructions of a window before the measured ones", source});
}

std::vector<ParameterError> SamplingKeys::check() const {
  if (period != 0 && period / 2 < warmup + length) {
    return {{"sampling.period", "must be at least " + std::to_string(2 * (warmup + length)) +
                                    ", twice warmup and length together"}};
  }
  return {};
}

void CoreSampling::open(const SamplingKeys& keys, std::uint64_t seed, double slots_per_us,
                        std::size_t cores) {
  keys_ = keys;
  cores_ = static_cast<std::int64_t>(cores);
  slots_per_us_ = slots_per_us;
  const std::int64_t window = keys_.warmup + keys_.length;
  Random random(seed, kStream);
  first_ = window + static_cast<std::int64_t>(
                        random.below(static_cast<std::uint64_t>(keys_.period - window)));
  next_phase_at_ = keys_.warmup;
}

void CoreSampling::next_phase() {
  switch (phase_) {
    case Phase::begin:
      phase_ = Phase::pilot;
      next_phase_at_ += keys_.length;
      break;
    case Phase::pilot:
      phase_ = Phase::skip;
      next_phase_at_ = first_;
      break;
    case Phase::skip:
      close_window();
      phase_ = Phase::warm;
      next_phase_at_ += keys_.warmup;
      break;
    case Phase::warm:
      phase_ = Phase::measure;
      next_phase_at_ += keys_.length;
      break;
    case Phase::measure:
      phase_ = Phase::skip;
      next_phase_at_ += keys_.period - keys_.warmup - keys_.length;
      break;
  }
}

void CoreSampling::measured(std::int64_t waits, std::int64_t loads) {
  waits = std::max<std::int64_t>(0, waits);
  waits_ += waits;
  loads_ += loads;
  recent_waits_ += waits;
  recent_loads_ += loads;
}

// Called at the begin of the next window, when all cores have reported what they measured. Without
// a load, the period had no part in the sample.
void CoreSampling::close_window() {
  if (pilot_) {
    pilot_ = false;
  } else if (loads_ > 0) {
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
  recent_waits_ -= recent_waits_ / 4;
  recent_loads_ -= recent_loads_ / 4;
}

SkipRate CoreSampling::rate() const {
  if (recent_loads_ == 0) {
    return {};
  }
  SkipRate rate{recent_waits_, recent_loads_};
  for (; rate.loads > kMostRateLoads; rate.loads /= 2) {
    rate.waits /= 2;
  }
  return rate;
}

double CoreSampling::relative_error() const {
  if (windows_ < 2 || slots_ == 0 || l_ == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto count = static_cast<double>(windows_);
  const double ratio = w_ / l_;
  const double squares = std::max(0.0, ww_ - 2 * ratio * wl_ + ratio * ratio * ll_);
  const double of_ratio = std::sqrt(squares / (count - 1) * count) / l_;
  return of_ratio * static_cast<double>(skipped_loads_) / static_cast<double>(slots_);
}

void CoreSampling::register_statistics(StatisticRegistry& registry, const std::string& path) {
  registry.counter(path + ".windows", "", "sampled windows with loads of DRAM", {&windows_});
  registry.counter(path + ".skipped_loads", "", "loads of DRAM between sampled windows",
                   {&skipped_loads_});
  registry.gauge(path + ".wait_ns", "ns", "wait of a core for a load of DRAM, mean over windows",
                 [this] { return l_ == 0 ? 0 : w_ / l_ / slots_per_us_ * 1e3; });
  registry.gauge(path + ".relative_error", "",
                 "standard error of the time that cores run threads, as a share of it",
                 [this] { return relative_error(); });
}

void CoreSampling::serialize(Archive& archive) {
  archive.section("core sampling");
  archive(phase_, position_, next_phase_at_, waits_, loads_, recent_waits_, recent_loads_);
  archive(io_, burst_, io_position_, pilot_, slots_, windows_, skipped_loads_, w_, l_, ww_, wl_,
          ll_);
  archive.check(recent_loads_ >= 0 && next_phase_at_ > position_, "invalid sampling of a job");
}

}  // namespace hmsim
