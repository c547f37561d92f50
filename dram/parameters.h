// SPDX-License-Identifier: BSD-3-Clause
// DRAM of one channel: organisation and timing. A preset names a part; single parameters override
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "dram/power.h"

namespace hmsim {

// Delay from a read or write command to the precharge of its bank (docs/assumptions.md, A15).
enum class PrechargeDelay {
  jedec,  // read tRTP, write CWL + BL/2 + tWR
  paper,  // 18.75 ns = CL + BL/2 for both, the paper's Table III read literally
};

// Banks that one refresh command refreshes.
enum class RefreshMode {
  all_bank,   // all banks of a rank
  same_bank,  // banks with the same number, in turn: in each bank group (DDR5's REFsb), or in
              // fewer (REFpb)
};

// Low-power state of idle ranks.
enum class PowerDown {
  none,
  fast,  // precharge power-down with the DLL on
};

// Clock cycles for which the host drives a command (2N: "2T timing").
enum class CommandRate { one, two };

struct DramStandardDescriptor;

inline constexpr std::size_t kMostOwnBuses = 2;  // pseudo-channels
inline constexpr std::int64_t kOneDimm = 0;      // all ranks of a channel are on one DIMM

// Timing parameters in clock cycles, unless the name gives another unit. kFromPreset until
// resolved; afterwards it marks times that the part does not have.
struct DramTiming {
  std::int64_t tck_ps = kFromPreset;
  std::int64_t cl = kFromPreset;
  std::int64_t cwl = kFromPreset;
  std::int64_t trcd = kFromPreset;
  std::int64_t trp = kFromPreset;
  std::int64_t tras = kFromPreset;
  std::int64_t trc = kFromPreset;
  std::int64_t trrd = kFromPreset;
  std::int64_t tfaw = kFromPreset;
  std::int64_t twr = kFromPreset;
  std::int64_t twtr = kFromPreset;
  std::int64_t trtp = kFromPreset;
  std::int64_t tccd = kFromPreset;
  std::int64_t burst = kFromPreset;  // data-bus cycles of one 64-byte line: BL8 = 4
  std::int64_t trtrs = kFromPreset;
  std::int64_t trtrs_dimm = kFromPreset;  // unless given, tRTRS
  std::int64_t trefi = kFromPreset;
  std::int64_t trfc = kFromPreset;
  // Power-down and self-refresh.
  std::int64_t tcke = kFromPreset;
  std::int64_t txp = kFromPreset;
  std::int64_t tckesr = kFromPreset;
  std::int64_t txs = kFromPreset;
  std::int64_t txsdll = kFromPreset;
  // Within a bank group. tCCD, tRRD and tWTR then hold between groups (the standard's _S times).
  std::int64_t tccd_l = kFromPreset;
  std::int64_t trrd_l = kFromPreset;
  std::int64_t twtr_l = kFromPreset;
  // DDR5.
  std::int64_t tccd_l_wr = kFromPreset;
  std::int64_t tppd = kFromPreset;
  std::int64_t trfcsb = kFromPreset;
  std::int64_t trefsbrd = kFromPreset;
  std::int64_t tpbr2pbr = kFromPreset;  // if REFpb refreshes fewer banks than REFsb
  // LPDDR5 and HBM3.
  std::int64_t burst_gap = kFromPreset;  // between the halves of a line
  std::int64_t twck_rd = kFromPreset;
  std::int64_t twck_wr = kFromPreset;
  std::int64_t twckpst = kFromPreset;
  std::int64_t tccdr = kFromPreset;

  std::int64_t gap() const { return burst_gap > 0 ? burst_gap : 0; }
  // Returns the data-bus gap when another DIMM becomes the driver.
  std::int64_t dimm_gap() const { return trtrs_dimm > trtrs ? trtrs_dimm : trtrs; }
  std::int64_t line() const { return burst + gap(); }  // from a line's first beat to after its last
};

// Structure of a rank, and of the devices that form it.
struct DramOrganisation {
  std::int64_t groups = 1;   // bank groups per rank
  std::int64_t banks = 0;    // per rank
  std::int64_t rows = 0;     // per bank
  std::int64_t columns = 0;  // 64-byte lines per row of a rank
  std::int64_t devices = 0;  // per rank
  // Number of banks that a refresh command of less than a rank covers, equally far apart (LPDDR5's
  // and HBM3's REFpb). 0: one bank in each bank group (DDR5's REFsb).
  std::int64_t banks_per_refresh = 0;
  std::int64_t stacks = 1;  // of dies (stack ids) in a rank; bank groups are divided among them

  std::int64_t banks_per_group() const { return banks / groups; }
};

// DRAM of one channel. resolve() must be called before timing and organisation are used.
struct DramParameters {
  std::string preset = "table3";
  std::int64_t ranks = 1;
  std::int64_t ranks_per_dimm = kOneDimm;
  std::int64_t register_delay = 0;  // cycles
  CommandRate command_rate = CommandRate::one;
  bool refresh = true;
  PrechargeDelay precharge_delay = PrechargeDelay::jedec;
  RefreshMode refresh_mode = RefreshMode::all_bank;
  bool refresh_management = false;
  std::int64_t raaimt = 32;           // activates of a bank
  std::int64_t refresh_postpone = 0;  // refreshes that a rank may postpone
  std::int64_t refresh_pull_in = 0;
  PowerDown power_down = PowerDown::none;
  Tick power_down_idle{100'000};
  bool self_refresh = false;
  Tick self_refresh_idle{100'000'000};
  DramTiming timing;
  DramPower power;
  const DramStandardDescriptor* standard = nullptr;  // this and the rest come from the preset
  DramOrganisation organisation;

  void declare(ParameterSet& parameters);
  void declare_power(ParameterSet& parameters);
  void resolve();  // fills in values from the preset
  std::vector<ParameterError> check() const;

  // Returns whether the part belongs to the standard of this name ("ddr5").
  bool is(std::string_view name) const;

  // Returns the cycles from an activate, which may take several slots, to the one that its times
  // count from.
  std::int64_t activate_delay() const;
  // Returns the cycles from a refresh to the first activate of its banks.
  std::int64_t refresh_time() const {
    return (refresh_mode == RefreshMode::same_bank ? timing.trfcsb : timing.trfc) -
           activate_delay();
  }
  std::int64_t dimm_ranks() const;  // ranks of each DIMM
  // Returns the cycles that a line takes on the channel's data bus. If each rank has its own bus,
  // returns the share of all buses together.
  std::int64_t line_share() const { return timing.burst / (has_own_buses() ? ranks : 1); }
  bool has_own_buses() const;            // whether each rank has one; at most kMostOwnBuses ranks
  std::int64_t columns_of_line() const;  // reads (writes) that move a line
  std::int64_t command_buses() const;
  // Returns the cycles that each command occupies its bus, beyond what the standard itself asks.
  std::int64_t command_slots() const { return command_rate == CommandRate::two ? 2 : 1; }
  // Returns the cycles from the first slot of a command to its arrival at the chips.
  std::int64_t command_delay() const { return register_delay + command_slots() - 1; }

  // Returns whether ranks may enter power-down or self-refresh.
  bool sleeps() const { return power_down != PowerDown::none || self_refresh; }

  // Returns the number of refresh commands until each bank of a rank has been refreshed once.
  // refreshes_in_trefi() gives their number per tREFI, refresh_interval() the mean cycles between
  // two. DDR5's same-bank refreshes are fine-grained: each bank has two in tREFI (tREFI2 = tREFI /
  // 2, JESD79-5B section 4.13).
  std::int64_t refreshes_per_round() const {
    return refresh_mode == RefreshMode::same_bank ? same_bank_stride() : 1;
  }
  // Returns the distance between banks that share a number.
  std::int64_t same_bank_stride() const {
    return organisation.banks_per_refresh == 0
               ? organisation.banks_per_group()
               : organisation.banks / organisation.banks_per_refresh;
  }
  std::int64_t refreshes_in_trefi() const {
    const bool fine = refresh_mode == RefreshMode::same_bank && organisation.banks_per_refresh == 0;
    return (fine ? 2 : 1) * refreshes_per_round();
  }
  std::int64_t refresh_interval() const { return timing.trefi / refreshes_in_trefi(); }

  Bytes rank_capacity() const;
  Bytes capacity() const { return rank_capacity() * ranks; }
  Tick clock_period() const { return Tick(timing.tck_ps); }

 private:
  void check_protocol(std::vector<ParameterError>& errors) const;
};

}  // namespace hmsim
