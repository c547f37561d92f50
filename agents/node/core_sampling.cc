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
  seed_ = seed;
  cores_ = static_cast<std::int64_t>(cores);
  slots_per_us_ = slots_per_us;
  period_begin_ = keys_.warmup + keys_.length;
  next_phase_at_ = keys_.warmup;
}

// Returns a random begin of a window that fits into the present period.
std::int64_t CoreSampling::window_begin() const {
  const auto room = static_cast<std::uint64_t>(keys_.period - keys_.warmup - keys_.length);
  Random random(seed_, kStream + static_cast<std::uint64_t>(period_begin_));
  return period_begin_ + static_cast<std::int64_t>(random.below(room));
}

void CoreSampling::next_phase() {
  switch (phase_) {
    case Phase::begin:
      phase_ = Phase::pilot;
      next_phase_at_ += keys_.length;
      break;
    case Phase::pilot:
      phase_ = Phase::skip;
      next_phase_at_ = window_begin();
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
      period_begin_ += keys_.period;
      next_phase_at_ = window_begin();
      break;
  }
}

// Called at the begin of the next window, when all cores have reported what they measured. Neyman's
// allocation samples a stratum in proportion to its standard deviation, here taken as proportional
// to its mean wait.
void CoreSampling::close_window() {
  WaitRatio& quiet = waits_[static_cast<std::size_t>(Stratum::quiet)];
  WaitRatio& io = waits_[static_cast<std::size_t>(Stratum::io)];
  windows_ += !pilot_ && (quiet.has_loads() || io.has_loads()) ? 1 : 0;
  for (WaitRatio* const each : {&quiet, &io}) {
    if (pilot_) {
      each->close_pilot();
    } else {
      each->close_window();
    }
  }
  pilot_ = false;
  const auto window = static_cast<double>(keys_.warmup + keys_.length);
  io_takes_all_ =
      !io.known() ||
      (quiet.known() && io.ratio() * window >= quiet.ratio() * static_cast<double>(keys_.period));
}

SkipRate CoreSampling::rate() const {
  const WaitRatio& own = waits_of(stratum());
  return own.known() ? own.rate() : waits_of(Stratum::quiet).rate();
}

double CoreSampling::estimated_slots() const {
  auto slots = static_cast<double>(slots_);
  for (const Stratum stratum : {Stratum::quiet, Stratum::io}) {
    const Skipped& own = skipped_in(stratum);
    slots +=
        waits_of(stratum).ratio() * static_cast<double>(own.loads) - static_cast<double>(own.slots);
  }
  return slots;
}

double CoreSampling::relative_error() const {
  double squares = 0;
  for (const Stratum stratum : {Stratum::quiet, Stratum::io}) {
    const double error =
        waits_of(stratum).standard_error() * static_cast<double>(skipped_in(stratum).loads);
    squares += error * error;
  }
  return slots_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                     : std::sqrt(squares) / estimated_slots();
}

void CoreSampling::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const WaitRatio& quiet = waits_of(Stratum::quiet);
  registry.counter(path + ".windows", "", "sampled windows with loads of DRAM", {&windows_});
  registry.gauge(path + ".skipped_loads", "", "loads of DRAM between sampled windows", [this] {
    return static_cast<double>(skipped_in(Stratum::quiet).loads + skipped_in(Stratum::io).loads);
  });
  registry.gauge(path + ".skipped_loads_io", "", "the part of them beside transfers of the job",
                 [this] { return static_cast<double>(skipped_in(Stratum::io).loads); });
  registry.gauge(path + ".wait_ns", "ns", "wait of a core for a load of DRAM, mean over windows",
                 [this, &quiet] { return quiet.ratio() / slots_per_us_ * 1e3; });
  registry.gauge(path + ".wait_io_ns", "ns", "the same beside transfers of the job",
                 [this] { return waits_of(Stratum::io).ratio() / slots_per_us_ * 1e3; });
  registry.gauge(
      path + ".time_ratio", "",
      "estimated time that cores run threads, as a multiple of the simulated one",
      [this] { return slots_ == 0 ? 1 : estimated_slots() / static_cast<double>(slots_); });
  registry.gauge(path + ".relative_error", "",
                 "standard error of the time that cores run threads, as a share of it",
                 [this] { return relative_error(); });
}

void CoreSampling::serialize(Archive& archive) {
  archive.section("core sampling");
  archive(phase_, position_, period_begin_, next_phase_at_, io_, burst_, io_takes_all_, io_count_);
  archive(io_position_, pilot_, windows_, slots_);
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    archive(waits_[i], skipped_[i]);
  }
  archive.check(next_phase_at_ > position_, "invalid sampling of a job");
}

}  // namespace hmsim
