// SPDX-License-Identifier: BSD-3-Clause
// Arrival times of an open loop: a rate, whether or not earlier requests have completed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/types.h"

namespace hmsim {

enum class Arrivals { closed, fixed, poisson, bursty };

struct ArrivalKeys {
  Arrivals arrivals = Arrivals::closed;
  double rate = 0;  // requests per second
  Tick burst_on = 100 * kMicrosecond;
  Tick burst_off = 900 * kMicrosecond;
  std::int64_t queue = 1'024;  // arrivals that wait for a thread

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
};

// Sequence of arrival times. The first arrival is at the origin. fixed: arrival k is at k / rate,
// rounded down to a picosecond. poisson: gaps are exponential with mean 1 / rate. bursty: as fixed,
// but time stands still between bursts; the rate within bursts is rate x (on + off) / on, so `rate`
// remains the mean. Only integers decide, so the sequence is the same on every platform.
class ArrivalProcess {
 public:
  ArrivalProcess() : ArrivalProcess(ArrivalKeys(), Random()) {}
  ArrivalProcess(const ArrivalKeys& keys, Random random);

  void restart(Tick origin);
  // Returns the time of the next arrival. Throws InputError beyond the longest simulated time.
  Tick next() const;
  void step();  // to the arrival after it

  void serialize(Archive& archive) { archive(random_, origin_, due_, carry_); }

 private:
  std::int64_t exponential_gap();

  Arrivals arrivals_;
  std::int64_t per_kilosecond_;  // rate within bursts
  std::int64_t on_;              // picoseconds
  std::int64_t off_;
  Random random_;
  Tick origin_{0};
  std::int64_t due_ = 0;    // picoseconds after the origin, without the time between bursts
  std::int64_t carry_ = 0;  // fraction of a picosecond, in 1 / per_kilosecond_
};

}  // namespace hmsim
