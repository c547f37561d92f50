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
// access DRAM outside of windows, too, as long as at most an eighth of all instructions ran so. A
// job that always transfers exceeds this share, and is then sampled like any other.
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

#include <cstdint>
#include <string>
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
  // Opens the sampling; called once, before all else. `slots_per_us`: slots of a core.
  void open(const SamplingKeys& keys, std::uint64_t seed, double slots_per_us);

  bool skips() const { return phase_ == Phase::skip && !io_is_whole(); }
  bool measures() const {
    return (phase_ == Phase::pilot || phase_ == Phase::measure) && !io_is_whole();
  }
  // Records whether a transfer of the job is under way.
  void set_io(bool under_way) { io_ = under_way; }
  // Records that a core fetched the next instructions.
  void fetched(std::int64_t instructions) {
    position_ += instructions;
    io_position_ += io_is_whole() ? instructions : 0;
    while (position_ >= next_phase_at_) {
      next_phase();
    }
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
  static constexpr std::int64_t kIoShare = 8;
  static constexpr std::int64_t kIoStart = 100'000;

  enum class Phase : std::uint8_t { begin, pilot, skip, warm, measure, last = measure };

  // Returns whether a transfer is under way and DRAM accesses beside transfers are not sampled.
  bool io_is_whole() const { return io_ && io_position_ <= position_ / kIoShare + kIoStart; }
  void next_phase();
  void close_window();
  // Returns the standard error of the cores' time, as a share of that time.
  double relative_error() const;

  SamplingKeys keys_;
  double slots_per_us_ = 1;
  std::int64_t first_ = 0;  // instruction at which the first window begins
  Phase phase_ = Phase::begin;
  std::int64_t position_ = 0;
  std::int64_t next_phase_at_ = 0;
  bool io_ = false;
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
