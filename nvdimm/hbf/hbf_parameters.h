// SPDX-License-Identifier: BSD-3-Clause
// Parameters of high bandwidth flash: one channel with its link, banks, page caches and writes.
// Terms are those of the OCP HBF architecture specification 0.7.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

// raw: addresses are physical, and the sender keeps the order of programs. host: the host's FTL
// maps logical pages.
enum class HbfMapping : std::uint8_t { raw, host };

// Place of the map of hbf.ftl: host. none: found in no time.
enum class HbfMap : std::uint8_t { none, hbm };

inline constexpr std::int64_t kOfGrade = -1;  // stands for the grade's rate
inline constexpr std::int64_t kNoLimitOfReads = 0;
inline constexpr std::int64_t kOfBanks = 0;  // until the banks are known

struct HbfParameters {
  std::int64_t grade = 2;
  std::int64_t read_rate_set = kOfGrade;   // MB/s, device to host
  std::int64_t write_rate_set = kOfGrade;  // MB/s, host to device
  Tick read_latency{0};                    // from the end of a message to its arrival at the host
  Tick write_latency{0};                   // the same, at the device
  std::int64_t dies = 1;                   // of a channel
  std::int64_t banks = 16;                 // of a die
  std::int64_t cache_pages = 2;            // of a bank
  bool merge = true;
  Bytes read_granularity{64};
  Bytes header{64};
  Tick accumulate = kMillisecond;
  std::int64_t pending_writes = 64;     // units of 4 KiB
  std::int64_t outstanding = kOfBanks;  // reads
  Tick ecc_read = 500 * kNanosecond;
  Tick ecc_write = 500 * kNanosecond;
  std::int64_t refresh_reads = kNoLimitOfReads;
  Tick write_period{0};           // 0: pages are written at any time
  Tick write_phase{100'000'000};  // 100 us of each period
  bool erased_at_start = true;
  HbfMapping ftl = HbfMapping::raw;
  HbfMap map_in = HbfMap::none;
  std::int64_t streams = 1;            // of users' pages
  std::int64_t copies = 4;             // pages that a channel's collector moves at once
  std::string refresh = "no_refresh";  // name of the pacer
  Tick refresh_every = 24 * kHour;     // of each block

  void declare(ParameterSet& set);  // under "hbf."

  // Bytes per second of one direction.
  std::int64_t read_rate() const { return rate(read_rate_set); }
  std::int64_t write_rate() const { return rate(write_rate_set); }
  std::int64_t banks_of_channel() const { return dies * banks; }
  void resolve_outstanding();  // call after the values are set

  // Gives the flash array the geometry of the channel: a bus for each die, a LUN for each bank.
  void shape(NandParameters& nand) const;

 private:
  std::int64_t rate(std::int64_t set) const;
};

}  // namespace hmsim
