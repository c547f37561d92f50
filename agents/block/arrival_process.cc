// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/arrival_process.h"

#include "core/clock.h"

namespace hmsim {

namespace {

constexpr std::int64_t kKilosecond = 1'000'000'000'000'000;  // picoseconds
constexpr double kLeastRate = 0.001;
constexpr double kMostRate = 1e9;
constexpr double kMostBurstRate = 1e12;  // one picosecond from arrival to arrival
constexpr std::int64_t kLongestQueue = 65'536;

// Returns the rate within bursts, in requests per second.
double burst_rate(const ArrivalKeys& keys) {
  if (keys.arrivals != Arrivals::bursty) {
    return keys.rate;
  }
  return keys.rate * static_cast<double>((keys.burst_on + keys.burst_off).value()) /
         static_cast<double>(keys.burst_on.value());
}

// Returns value x fraction / 2^32, rounded down.
std::int64_t scaled(std::int64_t value, std::uint64_t fraction) {
  const auto whole = static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>((whole >> 32) * fraction +
                                   ((whole & 0xFFFF'FFFFu) * fraction >> 32));
}

}  // namespace

void ArrivalKeys::declare(ParameterSet& parameters) {
  constexpr const char* kSource = "the workload's own";
  parameters.choice<Arrivals>(
      "arrivals", arrivals,
      {{"closed", Arrivals::closed},
       {"fixed", Arrivals::fixed},
       {"poisson", Arrivals::poisson},
       {"bursty", Arrivals::bursty}},
      {"closed: each thread keeps depth requests in flight. The others are an open loop, in which "
       "requests arrive at `arrival_rate` whether or not earlier ones have completed: at equal "
       "distances, "
       "as a Poisson process, or at equal distances within bursts",
       "Schroeder et al., \"Open versus closed: a cautionary tale\", NSDI 2006; poisson: fio's "
       "rate_process"});
  parameters.real("arrival_rate", rate, 0, kMostRate, "requests/s",
                  {"open loop: mean rate of arrivals", kSource});
  parameters.time(
      "burst_on", burst_on,
      {"bursty: duration of a burst, in which requests arrive at arrival_rate x (burst_on + "
       "burst_off) / burst_on",
       "a modelling choice of hmsim"});
  parameters.time(
      "burst_off", burst_off,
      {"bursty: time from the end of a burst to the next one", "a modelling choice of hmsim"});
  parameters.integer("queue", queue, {0, kLongestQueue}, "requests",
                     {"open loop: most arrivals that wait for a thread; an arrival that finds the "
                      "queue full is dropped and counted, and counts towards `requests`",
                      "a modelling choice of hmsim"});
}

std::vector<ParameterError> ArrivalKeys::check() const {
  if (arrivals == Arrivals::closed) {
    return {};
  }
  if (rate < kLeastRate) {
    return {{"arrival_rate", "must be at least 0.001 requests/s if arrivals is not closed"}};
  }
  if (arrivals == Arrivals::bursty && burst_on == Tick(0)) {
    return {{"burst_on", "must be above 0s"}};
  }
  if (burst_rate(*this) > kMostBurstRate) {
    return {{"burst_on", "is too short for this rate: bursts exceed 1e12 requests/s"}};
  }
  return {};
}

ArrivalProcess::ArrivalProcess(const ArrivalKeys& keys, Random random)
    : arrivals_(keys.arrivals),
      per_kilosecond_(static_cast<std::int64_t>(burst_rate(keys) * 1'000 + 0.5)),
      on_(keys.burst_on.value()),
      off_(keys.burst_off.value()),
      random_(random) {}

void ArrivalProcess::restart(Tick origin) {
  origin_ = origin;
  due_ = 0;
  carry_ = 0;
}

Tick ArrivalProcess::next() const {
  const std::int64_t bursts = arrivals_ == Arrivals::bursty ? due_ / on_ : 0;
  if (off_ != 0 && bursts > kLongestTime.value() / off_) {
    fail_too_late();
  }
  return sum_in_time(sum_in_time(origin_, Tick(due_)), Tick(bursts * off_));
}

void ArrivalProcess::step() {
  if (arrivals_ == Arrivals::poisson) {
    due_ += exponential_gap();
    return;
  }
  due_ += kKilosecond / per_kilosecond_;
  carry_ += kKilosecond % per_kilosecond_;
  if (carry_ >= per_kilosecond_) {
    carry_ -= per_kilosecond_;
    ++due_;
  }
}

// Draws by von Neumann's comparisons: a descending run of uniform numbers that begins with x has an
// odd length with probability e^-x. Each rejected run adds 1 to the integer part.
std::int64_t ArrivalProcess::exponential_gap() {
  const std::int64_t mean = kKilosecond / per_kilosecond_;
  for (std::int64_t whole = 0;; ++whole) {
    const std::uint64_t first = random_.next();
    bool odd = true;
    std::uint64_t last = first;
    for (std::uint64_t drawn = random_.next(); drawn < last; drawn = random_.next()) {
      last = drawn;
      odd = !odd;
    }
    if (odd) {
      return whole * mean + scaled(mean, first >> 32);
    }
  }
}

}  // namespace hmsim
