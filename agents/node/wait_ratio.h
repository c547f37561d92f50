// SPDX-License-Identifier: BSD-3-Clause
// Wait of a core for a load of DRAM, estimated from windows of a run: the sum of waits over the sum
// of loads. Its standard error is that of the ratio estimator (W. Cochran, "Sampling Techniques",
// 1977, chapter 6).
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "traces/job_program.h"

namespace hmsim {

class WaitRatio {
 public:
  // Adds what a core measured in the present window: slots in which no instruction was dispatched,
  // and loads.
  void add(std::int64_t waits, std::int64_t loads);
  // Ends the present window. A window without loads has no part in the sample.
  void close_window();
  // Adds to the pilot, which is not a part of the sample. Its ratio holds until the first window of
  // the sample.
  void add_to_pilot(std::int64_t waits, std::int64_t loads);
  // Ends the present window, which is a part of the pilot.
  void close_pilot();

  bool has_loads() const { return loads_ > 0; }  // in the present window
  bool known() const { return windows_ > 0 || pilot_loads_ > 0; }
  // Returns slots for each load: over all windows, or over the pilot, or 0 if not known().
  double ratio() const;
  // Returns ratio() as a rate of integers, for steps of up to 2^24 slots.
  SkipRate rate() const;
  // Returns the standard error of the ratio, in slots for each load. With fewer than two windows,
  // that is the whole ratio.
  double standard_error() const;

  void serialize(Archive& archive);

 private:
  std::int64_t waits_ = 0;  // of the present window
  std::int64_t loads_ = 0;
  std::int64_t pilot_waits_ = 0;
  std::int64_t pilot_loads_ = 0;
  // Number of windows, and sums over them of waits w, loads l and products.
  std::uint64_t windows_ = 0;
  double w_ = 0;
  double l_ = 0;
  double ww_ = 0;
  double wl_ = 0;
  double ll_ = 0;
};

}  // namespace hmsim
