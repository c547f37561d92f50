// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_rules.h"

#include <algorithm>

namespace hmsim {

namespace {

using C = Command;

// Ranks enter power-down with all banks closed. JESD79-3F sections 4.17 (power-down, fast exit) and
// 4.16 (self-refresh); JESD79-4B sections 4.28 and 4.27. DDR5 calls tCKE tPD.
std::vector<TimingRule> power_down_rules(const DramTiming& t, Command refresh) {
  return {
      {C::read, C::power_down_enter, Scope::rank, t.cl + t.burst + 1},  // tRDPDEN
      {C::power_down_enter, C::power_down_exit, Scope::rank, t.tcke},
      {C::power_down_exit, C::power_down_enter, Scope::rank, t.tcke},
      {C::power_down_exit, C::activate, Scope::rank, t.txp},
      {C::power_down_exit, refresh, Scope::rank, t.txp},
  };
}

// A request ends self-refresh and keeps the rank awake beyond tXS.
std::vector<TimingRule> self_refresh_rules(const DramTiming& t) {
  return {
      {C::read, C::self_refresh_enter, Scope::rank, t.cl + t.burst + 1},
      {C::precharge, C::self_refresh_enter, Scope::rank, t.trp},
      {C::activate, C::self_refresh_enter, Scope::rank, t.trc},
      {C::refresh, C::self_refresh_enter, Scope::rank, t.trfc},
      {C::self_refresh_enter, C::self_refresh_exit, Scope::rank, t.tckesr},
      {C::self_refresh_exit, C::activate, Scope::rank, t.txs},
      {C::self_refresh_exit, C::refresh, Scope::rank, t.txs},
      {C::self_refresh_exit, C::read, Scope::rank, t.txsdll},
  };
}

// Return the cycles from command to command, with this gap between their data.
std::int64_t read_to_write(const DramTiming& t, std::int64_t gap) {
  return t.cl + t.burst + gap - t.cwl;
}
std::int64_t write_to_read(const DramTiming& t, std::int64_t gap) {
  return t.cwl + t.burst + gap - t.cl;
}

// Returns the rules between bursts of different ranks of DRAM.
std::vector<TimingRule> between_ranks(const DramTiming& t, Scope scope, std::int64_t gap) {
  return {
      {C::read, C::read, scope, t.burst + gap},
      {C::read, C::write, scope, read_to_write(t, gap)},
      {C::write, C::read, scope, write_to_read(t, gap)},
      {C::write, C::write, scope, t.burst + gap},
  };
}

}  // namespace

namespace rules {

std::vector<TimingRule> joined(const std::vector<std::vector<TimingRule>>& parts) {
  std::vector<TimingRule> all;
  for (const std::vector<TimingRule>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<TimingRule> of_bank(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  const std::int64_t write_end = t.cwl + t.burst;   // from the command to the end of its data
  const std::int64_t paper_delay = t.cl + t.burst;  // 18.75 ns at DDR3-1600
  const bool paper = dram.precharge_delay == PrechargeDelay::paper;
  return {
      {C::activate, C::activate, Scope::bank, t.trc},
      {C::activate, C::read, Scope::bank, t.trcd},
      {C::activate, C::write, Scope::bank, t.trcd},
      {C::activate, C::precharge, Scope::bank, t.tras},
      {C::precharge, C::activate, Scope::bank, t.trp},
      {C::read, C::precharge, Scope::bank, paper ? paper_delay : t.trtp},
      {C::write, C::precharge, Scope::bank, paper ? paper_delay : write_end + t.twr},
  };
}

std::vector<TimingRule> of_all_bank_refresh(const DramTiming& t) {
  return {
      {C::precharge, C::refresh, Scope::rank, t.trp},
      {C::activate, C::refresh, Scope::rank, t.trc},
      {C::refresh, C::activate, Scope::rank, t.trfc},
      {C::refresh, C::refresh, Scope::rank, t.trfc},
  };
}

std::vector<TimingRule> of_moved_refreshes(const DramParameters& dram) {
  if (dram.refresh_postpone + dram.refresh_pull_in == 0) {
    return {};
  }
  return {{C::refresh, C::refresh, Scope::rank, 2 * dram.timing.trefi, 16}};
}

std::vector<TimingRule> of_same_bank_refresh(const DramTiming& t, std::int64_t after_activate,
                                             std::int64_t spacing) {
  return {
      {C::precharge, C::refresh_same_bank, Scope::same_bank, t.trp},
      {C::activate, C::refresh_same_bank, Scope::same_bank, t.trc},
      {C::activate, C::refresh_same_bank, Scope::rank, after_activate},
      {C::refresh_same_bank, C::activate, Scope::same_bank, t.trfcsb},
      {C::refresh_same_bank, C::activate, Scope::rank, t.trefsbrd},
      {C::refresh_same_bank, C::refresh_same_bank, Scope::rank, spacing},
  };
}

std::vector<TimingRule> of_direction(const DramTiming& t) {
  return {{C::read, C::write, Scope::rank, std::max(t.tccd, read_to_write(t, t.trtrs))}};
}

std::vector<TimingRule> of_bus(const DramTiming& t) {
  const std::int64_t gap = t.dimm_gap();
  const std::int64_t same = t.burst + gap;
  const std::int64_t read_write = read_to_write(t, gap);
  const std::int64_t write_read = write_to_read(t, gap);
  const std::vector<TimingRule> of_nvdimm{
      {C::nvdimm_read, C::nvdimm_read, Scope::rank, t.burst},
      {C::nvdimm_write, C::nvdimm_write, Scope::rank, t.burst},
      {C::nvdimm_read, C::nvdimm_write, Scope::rank, read_to_write(t, t.trtrs)},
      {C::nvdimm_write, C::nvdimm_read, Scope::rank, write_to_read(t, t.trtrs)},
      {C::read, C::nvdimm_read, Scope::other_rank, same},
      {C::read, C::nvdimm_write, Scope::other_rank, read_write},
      {C::write, C::nvdimm_read, Scope::other_rank, write_read},
      {C::write, C::nvdimm_write, Scope::other_rank, same},
      {C::nvdimm_read, C::read, Scope::other_rank, same},
      {C::nvdimm_read, C::write, Scope::other_rank, read_write},
      {C::nvdimm_write, C::read, Scope::other_rank, write_read},
      {C::nvdimm_write, C::write, Scope::other_rank, same},
  };
  return joined(
      {of_direction(t), between_ranks(t, Scope::other_rank, t.trtrs), of_nvdimm, of_dimms(t)});
}

std::vector<TimingRule> of_dimms(const DramTiming& t) {
  return t.dimm_gap() == t.trtrs ? std::vector<TimingRule>()
                                 : between_ranks(t, Scope::other_dimm, t.dimm_gap());
}

std::vector<TimingRule> of_power(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  const bool power_down = dram.power_down == PowerDown::fast;
  const bool same_bank = dram.refresh_mode == RefreshMode::same_bank;
  std::vector<std::vector<TimingRule>> parts;
  if (power_down) {
    parts.push_back(power_down_rules(t, same_bank ? C::refresh_same_bank : C::refresh));
  }
  if (dram.self_refresh) {
    parts.push_back(self_refresh_rules(t));
  }
  if (power_down && dram.self_refresh) {
    parts.push_back({{C::power_down_exit, C::self_refresh_enter, Scope::rank, t.txp}});
  }
  return joined(parts);
}

std::vector<TimingRule> of_rank(const DramTiming& t) {
  return {
      {C::activate, C::activate, Scope::rank, t.trrd},
      {C::activate, C::activate, Scope::rank, t.tfaw, 4},
      {C::read, C::read, Scope::rank, t.tccd},
      {C::write, C::write, Scope::rank, t.tccd},
      {C::write, C::read, Scope::rank,
       t.cwl + t.burst + std::max({t.twtr, t.trtrs - t.cl, t.tccd - t.cwl - t.burst})},
  };
}

std::vector<TimingRule> of_group(const DramTiming& t, std::int64_t write_spacing) {
  return {
      {C::activate, C::activate, Scope::group, t.trrd_l},
      {C::read, C::read, Scope::group, t.tccd_l},
      {C::write, C::write, Scope::group, write_spacing},
      {C::write, C::read, Scope::group, t.cwl + t.burst + t.twtr_l},
  };
}

}  // namespace rules

}  // namespace hmsim
