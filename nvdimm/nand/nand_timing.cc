// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_timing.h"

#include <algorithm>
#include <array>

#include "core/random.h"

namespace hmsim {

namespace {

constexpr std::int64_t kAddressCycles = 5;
constexpr std::int64_t kRowCycles = 3;
constexpr std::int64_t kColumnCycles = 2;

// ONFI asynchronous timing modes, ns (Linux, nand_timings.c).
struct Sdr {
  int trc, twc, tcs, tds, tdh, twp, trr, twhr, trea;
};
constexpr std::array<Sdr, 6> kSdr{{{100, 100, 70, 40, 20, 50, 40, 120, 40},
                                   {50, 45, 35, 20, 10, 25, 20, 80, 30},
                                   {35, 35, 25, 15, 5, 17, 20, 80, 25},
                                   {30, 30, 25, 10, 5, 15, 20, 80, 20},
                                   {25, 25, 20, 10, 5, 12, 20, 80, 20},
                                   {20, 20, 15, 7, 5, 10, 20, 80, 16}}};

// Source-synchronous modes. Times in ns, rate in MT/s.
struct Ddr {
  int rate, tcs, cycle, twb, trr, tadl, twpst, twpsth, out_setup, twhr;
};
// NV-DDR (Linux, nand_timings.c): a latch cycle is tCAD, tWPST = 1.5 tCK, data out waits for tWRCK.
constexpr std::array<Ddr, 6> kNvDdr{{{40, 35, 45, 100, 20, 400, 75, 0, 20, 80},
                                     {67, 25, 45, 100, 20, 400, 45, 0, 20, 80},
                                     {100, 15, 45, 100, 20, 400, 30, 0, 20, 80},
                                     {133, 15, 45, 100, 20, 400, 23, 0, 20, 80},
                                     {167, 15, 45, 100, 20, 400, 18, 0, 20, 80},
                                     {200, 15, 45, 100, 20, 400, 15, 0, 20, 80}}};
// NV-DDR2. The rates are from SimpleSSD. The times, equal in every mode, are from MQSim.
constexpr std::array<int, 8> kNvDdr2Rates{67, 80, 133, 167, 200, 267, 333, 400};
// NV-DDR3. The rates are from ONFI 4.1. Latch cycles and strobes equal those of NV-DDR2.
constexpr std::array<int, 14> kNvDdr3Rates{67,  80,  133, 167, 200, 267,  333,
                                           400, 533, 667, 800, 933, 1067, 1200};
constexpr Ddr kNvDdr2{0, 20, 25, 100, 20, 70, 6, 15, 30, 80};

constexpr Tick kColumnSetup = ns(500);  // tCCS (Linux, nand_timings.c, every mode)

Tick transfer(std::int64_t bytes, std::int64_t rate) {
  return Tick((bytes * kSecond.value() + rate - 1) / rate);
}

// Returns the time of slow pages with which the mean over a block is `mean`.
Tick slow_time(const NandParameters& nand, Tick mean, Tick fast, Tick middle) {
  std::int64_t slow = 0;
  Tick rest = nand.pages_per_block * mean;
  for (std::int64_t page = 0; page < nand.pages_per_block; ++page) {
    switch (page_speed(nand.program_model, page, nand.pages_per_block)) {
      case PageSpeed::fast:
        rest -= fast;
        break;
      case PageSpeed::middle:
        rest -= middle;
        break;
      case PageSpeed::slow:
        ++slow;
        break;
    }
  }
  return slow == 0 ? mean : rest / slow;
}

PageTimes times_of(const NandParameters& nand, Tick mean, Tick fast, Tick middle) {
  switch (nand.program_model) {
    case ProgramModel::flat:
      return {mean, mean, mean};
    case ProgramModel::tlc:
    case ProgramModel::qlc:
      return {fast, middle, slow_time(nand, mean, fast, middle)};
    default:
      return {fast, fast, slow_time(nand, mean, fast, fast)};
  }
}

std::vector<Tick> by_page(const NandParameters& nand, const PageTimes& times) {
  std::vector<Tick> pages;
  for (std::int64_t page = 0; page < nand.pages_per_block; ++page) {
    const PageSpeed speed = page_speed(nand.program_model, page, nand.pages_per_block);
    pages.push_back(speed == PageSpeed::fast     ? times.fast
                    : speed == PageSpeed::middle ? times.middle
                                                 : times.slow);
  }
  return pages;
}

// Returns the number of runs of consecutive parts.
std::int64_t stretches(PartMask parts) {
  return __builtin_popcount(parts & ~(static_cast<unsigned>(parts) << 1));
}

constexpr double kPpmPerPercent = 10'000;
constexpr std::int64_t kMillion = 1'000'000;

std::uint64_t ppm(double percent) {
  return static_cast<std::uint64_t>(percent * kPpmPerPercent + 0.5);
}

}  // namespace

// cmlc and mlc are NANDFlashSim's models 1 and 2.
PageSpeed page_speed(ProgramModel model, std::int64_t page, std::int64_t pages) {
  bool fast = false;
  switch (model) {
    case ProgramModel::flat:
      return PageSpeed::fast;
    case ProgramModel::cmlc:
      fast = page < 2 || page >= pages - 2 || page % 2 == 0;
      break;
    case ProgramModel::mlc:
      fast = page < 4 || page % 4 < 2;
      break;
    case ProgramModel::tlc:
      return page % 3 == 0 ? PageSpeed::fast : page % 3 == 1 ? PageSpeed::middle : PageSpeed::slow;
    case ProgramModel::qlc:
      return page % 4 == 0 ? PageSpeed::fast : page % 4 < 3 ? PageSpeed::middle : PageSpeed::slow;
  }
  return fast ? PageSpeed::fast : PageSpeed::slow;
}

PageTimes read_times(const NandParameters& nand) {
  return times_of(nand, nand.read_time, nand.fast_read_time, nand.middle_read_time);
}

PageTimes program_times(const NandParameters& nand) {
  return times_of(nand, nand.program_time, nand.fast_program_time, nand.middle_program_time);
}

Tick longest_program(const NandParameters& nand) {
  const PageTimes times = program_times(nand);
  const Tick slowest = later(times.fast, later(times.middle, times.slow));
  return slowest + slowest / kMillion * static_cast<std::int64_t>(ppm(nand.variation));
}

NandTiming::NandTiming(const NandParameters& nand, std::uint64_t seed)
    : read_(by_page(nand, read_times(nand))),
      program_(by_page(nand, program_times(nand))),
      slc_read_(nand.slc_read_time),
      slc_program_(nand.slc_program_time),
      erase_(nand.erase_time),
      variation_ppm_(ppm(nand.variation)),
      reads_alike_(variation_ppm_ == 0 && nand.slc_blocks == 0 &&
                   std::all_of(read_.begin(), read_.end(),
                               [this](Tick time) { return time == read_.front(); })),
      seed_(mix64(seed) + 1) {
  const std::int64_t part = kPageBytes.value() + (nand.transfer_spare ? nand.spare : 0);
  const auto mode = static_cast<std::size_t>(nand.mode);
  // `begin`: delay before the first byte comes out. `to_read`, `to_write`: delay of a column
  // change.
  const auto set_data = [&](Tick begin, auto in, auto out, Tick to_write, Tick to_read) {
    change_column_ = to_read;
    for (std::size_t parts = 0; parts < data_in_.size(); ++parts) {
      const std::int64_t bytes = __builtin_popcount(static_cast<unsigned>(parts)) * part;
      const std::int64_t jumps =
          std::max<std::int64_t>(stretches(static_cast<PartMask>(parts)), 1) - 1;
      data_in_[parts] = in(bytes) + jumps * to_write;
      data_out_[parts] = begin + out(bytes) + jumps * to_read;
    }
  };
  if (nand.interface == NandInterface::flat) {
    read_command_ = program_command_ = erase_command_ = nand.command_time;
    const auto bus = [&nand](std::int64_t bytes) { return transfer(bytes, nand.bus_rate); };
    set_data(Tick(0), bus, bus, nand.change_column_time, nand.change_column_time);
    status_ = Tick(0);
  } else if (nand.interface == NandInterface::sdr) {
    const Sdr& t = kSdr[mode];
    const Tick command = ns(t.twp + t.tds + t.tdh);
    const auto address = [&t](std::int64_t n) { return ns(t.tcs - t.tds + n * (t.tds + t.tdh)); };
    read_command_ = program_command_ = command + address(kAddressCycles) + command;
    erase_command_ = command + address(kRowCycles) + command;
    const Tick column = command + address(kColumnCycles) + kColumnSetup;
    set_data(
        ns(t.trr), [&t](std::int64_t bytes) { return bytes * ns(t.twc); },
        [&t](std::int64_t bytes) { return bytes * ns(t.trc); }, column, column + command);
    status_ = ns(t.tds + t.twhr + t.trea + t.trc);
  } else {
    const bool first = nand.interface == NandInterface::nv_ddr;
    const bool third = nand.interface == NandInterface::nv_ddr3;
    const Ddr& t = first ? kNvDdr[mode] : kNvDdr2;
    const std::int64_t rate = (first   ? t.rate
                               : third ? kNvDdr3Rates[mode]
                                       : kNvDdr2Rates[mode]) *
                              kMillion;
    const auto latches = [&t](std::int64_t n) { return ns(t.tcs + n * t.cycle); };
    read_command_ = latches(1 + kAddressCycles) + ns(t.twb + t.trr);
    program_command_ = latches(1 + kAddressCycles) + ns(t.tadl + t.twpst + t.twpsth + t.twb);
    erase_command_ = latches(1 + kRowCycles) + ns(t.twb);
    const auto bus = [rate](std::int64_t bytes) { return transfer(bytes, rate); };
    const Tick column = latches(1 + kColumnCycles) + kColumnSetup;
    set_data(ns(t.out_setup), bus, bus, column, column + ns(t.cycle));
    status_ = latches(1) + ns(t.twhr + t.trr);
  }
}

Tick NandTiming::vary(Tick mean, std::uint64_t block, std::uint32_t page) const {
  const std::uint64_t drawn = mix64(mix64(seed_ ^ block) + page);
  const auto deviation = static_cast<std::int64_t>(drawn % (2 * variation_ppm_ + 1)) -
                         static_cast<std::int64_t>(variation_ppm_);
  return mean + mean / kMillion * deviation;
}

}  // namespace hmsim
