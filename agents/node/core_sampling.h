// SPDX-License-Identifier: BSD-3-Clause
// Systematic sampling of the DRAM accesses of a job's cores.
//
// Cores access DRAM in windows only. Between windows they take the time that these accesses would
// have taken: a mean wait for each load, as measured in recent windows. Everything else happens in
// every part of the run: threads run, wait and wake each other, and all accesses to the NVDIMM are
// simulated. State in the NVDIMM, its flash and its FTL is therefore never skipped. State that DRAM
// accesses change (row buffers, queues, monitors of policies) is warmed at the start of a window.
//
// Transfers and DRAM accesses delay each other. While a transfer is under way, cores therefore
// access DRAM outside of windows, too, as long as at most a 32nd of all instructions ran so. A
// job that always transfers uses this share in bursts of a million instructions. Between bursts it
// is sampled like any other.
//
// A window begins each `period` instructions of the job, over all its cores, from a random
// instruction on. After `warmup` instructions, `length` instructions are measured. The first
// warmup + length instructions of the run are a pilot: they supply the wait of a load until the
// first window has been measured, and are not a part of the sample.
//
// Sources: systematic sampling of windows, R. Wunderlich et al., "SMARTS", ISCA 2003. Time between
// windows at the measured rate, so that threads keep their order: E. Ardestani and J. Renau,
// "ESESC", HPCA 2013; T. Carlson et al., ISPASS 2013. Ratio estimator with loads as the auxiliary
// variable: W. Cochran, "Sampling Techniques", 1977, chapter 6.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "traces/job_program.h"

namespace hmsim {

// Keys of a job. Numbers of instructions.
struct SamplingKeys {
  std::int64_t period = 0;  // 0: the whole run is simulated
  std::int64_t length = 100'000;
  std::int64_t warmup = 20'000;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
};

class CoreSampling {
 public:
  // Opens the sampling; called once, before all else. `slots_per_us`: slots of a core. `cores`:
  // number of the job's cores.
  void open(const SamplingKeys& keys, std::uint64_t seed, double slots_per_us, std::size_t cores);

  bool skips() const { return phase_ == Phase::skip && !io_is_whole(); }
  bool measures() const {
    return (phase_ == Phase::pilot || phase_ == Phase::measure) && !io_is_whole();
  }
  // Records that a transfer of the job begins. Returns true if cores that skip must stop.
  bool begin_io() {
    if (std::exchange(io_, true)) {
      return false;
    }
    burst_ = io_left() > 0;
    return phase_ == Phase::skip;
  }
  // Records whether a transfer of the job is still under way.
  void set_io(bool under_way) { io_ = under_way; }
  // Records that a core fetched the next instructions.
  void fetched(std::int64_t instructions) {
    position_ += instructions;
    if (io_) {
      io_position_ += burst_ ? instructions : 0;
      burst_ = burst_ ? io_left() > 0 : io_left() >= kIoBurst;
    }
    while (position_ >= next_phase_at_) {
      next_phase();
    }
  }
  // Records that a core did not run the last instructions that it had fetched.
  void returned(std::int64_t instructions) { position_ -= instructions; }
  // Returns the most slots that a core may skip at once. No window or burst begins during a skip
  // that is longer than kShortSkip: while a core skips a quarter of its share of the way there,
  // each of the others fetches at most twice as much.
  std::int64_t longest_skip() const {
    const std::int64_t window = next_phase_at_ - position_;
    const std::int64_t way = io_ ? std::min(window, kIoShare * (kIoBurst - io_left())) : window;
    return std::clamp(way / (4 * cores_), kShortSkip, kLongSkip);
  }
  // Returns the time that skipped loads take now.
  SkipRate rate() const;
  // Counts loads of DRAM that are skipped; negative: that are not skipped after all.
  void skipped(std::int64_t loads) { skipped_loads_ += static_cast<Counter>(loads); }
  // Adds what a core measured in the present window, or the one before: slots in which no
  // instruction was dispatched, and loads.
  void measured(std::int64_t waits, std::int64_t loads);
  // Counts the slots of a time slice.
  void ran(std::int64_t slots) { slots_ += slots; }

  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

 private:
  static constexpr std::int64_t kIoShare = 32;
  static constexpr std::int64_t kIoBurst = 1'000'000;
  static constexpr std::int64_t kShortSkip = 4'096;  // slots: some 1 us
  static constexpr std::int64_t kLongSkip = std::int64_t{1} << 24;

  enum class Phase : std::uint8_t { begin, pilot, skip, warm, measure, last = measure };

  // Returns whether a transfer is under way and DRAM accesses beside it are not sampled.
  bool io_is_whole() const { return io_ && burst_; }
  // Returns the instructions that may still run beside transfers without being sampled.
  std::int64_t io_left() const { return position_ / kIoShare + kIoBurst - io_position_; }
  void next_phase();
  void close_window();
  // Returns the standard error of the cores' time, as a share of that time.
  double relative_error() const;

  SamplingKeys keys_;
  double slots_per_us_ = 1;
  std::int64_t cores_ = 1;
  std::int64_t first_ = 0;  // instruction at which the first window begins
  Phase phase_ = Phase::begin;
  std::int64_t position_ = 0;
  std::int64_t next_phase_at_ = 0;
  bool io_ = false;
  bool burst_ = false;
  std::int64_t io_position_ = 0;  // instructions beside transfers that were simulated whole
  std::int64_t waits_ = 0;        // of the present window
  std::int64_t loads_ = 0;
  // Sums over recent windows, which weigh a quarter less with each later window.
  std::int64_t recent_waits_ = 0;
  std::int64_t recent_loads_ = 0;
  bool pilot_ = true;  // the recent sums are those of the pilot
  std::int64_t slots_ = 0;
  // Number of windows, and sums over them of waits w, loads l and products.
  Counter windows_ = 0;
  Counter skipped_loads_ = 0;
  double w_ = 0;
  double l_ = 0;
  double ww_ = 0;
  double wl_ = 0;
  double ll_ = 0;
};

}  // namespace hmsim
