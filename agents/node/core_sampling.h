// SPDX-License-Identifier: BSD-3-Clause
// Sampling of the DRAM accesses of a job's cores.
//
// Cores access DRAM in windows only. Between windows they take the time that these accesses would
// have taken: a mean wait for each load, as measured in windows. Everything else happens in every
// part of the run: threads run, wait and wake each other, and all accesses to the NVDIMM are
// simulated. State in the NVDIMM, its flash and its FTL is therefore never skipped. State that DRAM
// accesses change (row buffers, queues, monitors of policies) is warmed at the start of a window.
//
// Transfers and DRAM accesses delay each other. Loads beside a transfer are therefore a stratum
// with a separate mean wait, and cores access DRAM beside transfers outside of windows, too, as
// long as at most a 32nd of all instructions ran so. A job that always transfers uses this share in
// bursts of a million instructions. All loads beside transfers are simulated while their mean wait
// is unknown, or if it is large enough that Neyman's allocation takes the whole stratum.
//
// Each `period` instructions of the job, over all its cores, hold one window, which begins at a
// random one of them. Equal distances could match those of the job's own phases. After `warmup`
// instructions, `length` instructions are measured. The first warmup + length instructions of the
// run are a pilot: they supply the wait of a load until the first window has been measured, and are
// not a part of the sample.
//
// The estimate of the cores' time replaces the time of skipped loads by the mean wait over all
// windows, because the waits that were known while they were skipped are those of earlier windows.
//
// Sources: sampling of windows, R. Wunderlich et al., "SMARTS", ISCA 2003. Time between
// windows at the measured rate, so that threads keep their order: E. Ardestani and J. Renau,
// "ESESC", HPCA 2013; T. Carlson et al., ISPASS 2013. Ratio estimator with loads as the auxiliary
// variable, strata and their allocation: W. Cochran, "Sampling Techniques", 1977, chapters 5 and 6.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agents/node/wait_ratio.h"
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
  // Loads without and beside a transfer of the job.
  enum class Stratum : std::uint8_t { quiet, io, last = io };
  // Use of measured loads: none, the sample of a stratum, or the pilot of the loads beside
  // transfers, which those that are not sampled form.
  enum class Measure : std::uint8_t { none, quiet, io, burst, last = burst };

  // Opens the sampling; called once, before all else. `slots_per_us`: slots of a core. `cores`:
  // number of the job's cores.
  void open(const SamplingKeys& keys, std::uint64_t seed, double slots_per_us, std::size_t cores);

  bool skips() const { return phase_ == Phase::skip && !io_is_whole(); }
  // Returns what the loads of a core are measured for now.
  Measure measure() const {
    if (io_is_whole()) {
      return Measure::burst;
    }
    const bool measures = phase_ == Phase::pilot || phase_ == Phase::measure;
    return !measures ? Measure::none : io_ ? Measure::io : Measure::quiet;
  }
  Stratum stratum() const { return io_ ? Stratum::io : Stratum::quiet; }
  // Returns whether loads beside a transfer, if there is one, are not sampled.
  bool bursts() const { return burst_; }
  // Returns how often a transfer began while none was under way.
  std::uint64_t io_count() const { return io_count_; }
  // Records that a transfer of the job begins. Returns true if cores that skip must stop.
  bool begin_io() {
    if (std::exchange(io_, true)) {
      return false;
    }
    ++io_count_;
    burst_ = io_takes_all_ || io_left() > 0;
    return phase_ == Phase::skip;
  }
  // Records whether a transfer of the job is still under way. Returns true if cores that skip must
  // stop.
  bool set_io(bool under_way) {
    const bool ended = std::exchange(io_, under_way) && !under_way;
    return ended && phase_ == Phase::skip;
  }
  // Records that a core fetched the next instructions.
  void fetched(std::int64_t instructions) {
    position_ += instructions;
    if (io_) {
      io_position_ += burst_ && !io_takes_all_ ? instructions : 0;
      burst_ = io_takes_all_ || (burst_ ? io_left() > 0 : io_left() >= kIoBurst);
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
  // Counts loads of DRAM that are skipped and their slots; negative: that are not skipped after
  // all.
  void skipped(Stratum stratum, std::int64_t loads, std::int64_t slots) {
    Skipped& own = skipped_[static_cast<std::size_t>(stratum)];
    own.loads += loads;
    own.slots += slots;
  }
  // Adds what a core measured in the present window, or the one before: slots in which no
  // instruction was dispatched, and loads.
  void measured(Measure measure, std::int64_t waits, std::int64_t loads) {
    if (measure == Measure::burst) {
      waits_[static_cast<std::size_t>(Stratum::io)].add_to_pilot(waits, loads);
    } else {
      waits_[measure == Measure::io ? 1 : 0].add(waits, loads);
    }
  }
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

  struct Skipped {
    std::int64_t loads = 0;
    std::int64_t slots = 0;
    void serialize(Archive& archive) { archive(loads, slots); }
  };

  const WaitRatio& waits_of(Stratum stratum) const {
    return waits_[static_cast<std::size_t>(stratum)];
  }
  const Skipped& skipped_in(Stratum stratum) const {
    return skipped_[static_cast<std::size_t>(stratum)];
  }
  // Returns whether a transfer is under way and DRAM accesses beside it are not sampled.
  bool io_is_whole() const { return io_ && burst_; }
  // Returns the instructions that may still run beside transfers without being sampled.
  std::int64_t io_left() const { return position_ / kIoShare + kIoBurst - io_position_; }
  std::int64_t window_begin() const;
  void next_phase();
  void close_window();
  // Returns the estimated slots of all time slices.
  double estimated_slots() const;
  // Returns the standard error of the cores' time, as a share of that time.
  double relative_error() const;

  SamplingKeys keys_;
  double slots_per_us_ = 1;
  std::int64_t cores_ = 1;
  std::uint64_t seed_ = 0;
  Phase phase_ = Phase::begin;
  std::int64_t position_ = 0;
  std::int64_t period_begin_ = 0;
  std::int64_t next_phase_at_ = 0;
  bool io_ = false;
  bool burst_ = false;
  bool io_takes_all_ = true;  // until waits beside transfers are known
  std::uint64_t io_count_ = 0;
  std::int64_t io_position_ = 0;  // instructions beside transfers that were simulated whole
  bool pilot_ = true;             // no window has begun
  Counter windows_ = 0;
  std::int64_t slots_ = 0;
  std::array<WaitRatio, 2> waits_;  // by stratum
  std::array<Skipped, 2> skipped_;
};

}  // namespace hmsim
