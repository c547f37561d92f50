// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_rules.h"

#include <algorithm>

namespace hmsim {

namespace {

using C = Command;

void append(std::vector<TimingRule>& rules, const std::vector<TimingRule>& more) {
  rules.insert(rules.end(), more.begin(), more.end());
}

// One bank: alike in all families.
std::vector<TimingRule> bank_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  const std::int64_t write_end = t.cwl + t.burst;   // command to the end of its data
  const std::int64_t paper_delay = t.cl + t.burst;  // 18.75 ns at DDR3-1600
  const bool paper_write = dram.precharge_delay == PrechargeDelay::paper;
  const bool paper_read = dram.precharge_delay != PrechargeDelay::jedec;
  return {
      {C::activate, C::activate, Scope::bank, t.trc},
      {C::activate, C::read, Scope::bank, t.trcd},
      {C::activate, C::write, Scope::bank, t.trcd},
      {C::activate, C::precharge, Scope::bank, t.tras},
      {C::precharge, C::activate, Scope::bank, t.trp},
      {C::read, C::precharge, Scope::bank, paper_read ? paper_delay : t.trtp},
      {C::write, C::precharge, Scope::bank, paper_write ? paper_delay : write_end + t.twr},
  };
}

std::vector<TimingRule> all_bank_refresh_rules(const DramTiming& t) {
  return {
      {C::precharge, C::refresh, Scope::rank, t.trp},
      {C::activate, C::refresh, Scope::rank, t.trc},
      {C::refresh, C::activate, Scope::rank, t.trfc},
      {C::refresh, C::refresh, Scope::rank, t.trfc},
  };
}

// JESD79-5B section 4.13, REFsb: the refreshed banks take part as in a refresh of the rank; others
// go on, but for a distance to their activates.
std::vector<TimingRule> same_bank_refresh_rules(const DramTiming& t) {
  return {
      {C::precharge, C::refresh_same_bank, Scope::same_bank, t.trp},
      {C::activate, C::refresh_same_bank, Scope::same_bank, t.trc},
      {C::activate, C::refresh_same_bank, Scope::rank, t.trrd_l},
      {C::refresh_same_bank, C::activate, Scope::same_bank, t.trfcsb},
      {C::refresh_same_bank, C::activate, Scope::rank, t.trefsbrd},
      {C::refresh_same_bank, C::refresh_same_bank, Scope::rank, t.trfcsb},
  };
}

// The data bus: bursts follow one another with a gap of tRTRS when its driver changes, that is with
// the rank or with the direction. The NVDIMM is bound by nothing else.
std::vector<TimingRule> bus_rules(const DramTiming& t) {
  const std::int64_t same = t.burst + t.trtrs;
  const std::int64_t read_write = t.cl + t.burst + t.trtrs - t.cwl;
  const std::int64_t write_read = t.cwl + t.burst + t.trtrs - t.cl;
  return {
      {C::read, C::write, Scope::rank, std::max(t.tccd, read_write)},
      {C::nvdimm_read, C::nvdimm_read, Scope::rank, t.burst},
      {C::nvdimm_write, C::nvdimm_write, Scope::rank, t.burst},
      {C::nvdimm_read, C::nvdimm_write, Scope::rank, read_write},
      {C::nvdimm_write, C::nvdimm_read, Scope::rank, write_read},
      {C::read, C::read, Scope::other_rank, same},
      {C::read, C::write, Scope::other_rank, read_write},
      {C::read, C::nvdimm_read, Scope::other_rank, same},
      {C::read, C::nvdimm_write, Scope::other_rank, read_write},
      {C::write, C::read, Scope::other_rank, write_read},
      {C::write, C::write, Scope::other_rank, same},
      {C::write, C::nvdimm_read, Scope::other_rank, write_read},
      {C::write, C::nvdimm_write, Scope::other_rank, same},
      {C::nvdimm_read, C::read, Scope::other_rank, same},
      {C::nvdimm_read, C::write, Scope::other_rank, read_write},
      {C::nvdimm_write, C::read, Scope::other_rank, write_read},
      {C::nvdimm_write, C::write, Scope::other_rank, same},
  };
}

// Ranks that are put to sleep with all banks closed. JESD79-3F sections 4.17 (power-down, fast
// exit) and 4.16 (self-refresh), JESD79-4B sections 4.28 and 4.27; DDR5 calls tCKE tPD.
std::vector<TimingRule> power_down_rules(const DramTiming& t, Command refresh) {
  return {
      {C::read, C::power_down_enter, Scope::rank, t.cl + t.burst + 1},  // tRDPDEN
      {C::power_down_enter, C::power_down_exit, Scope::rank, t.tcke},
      {C::power_down_exit, C::power_down_enter, Scope::rank, t.tcke},
      {C::power_down_exit, C::activate, Scope::rank, t.txp},
      {C::power_down_exit, refresh, Scope::rank, t.txp},
  };
}

// It ends for a request, which keeps the rank awake beyond tXS.
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

// What the parameters ask for.
std::vector<TimingRule> power_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  const bool power_down = dram.power_down == PowerDown::fast;
  std::vector<TimingRule> rules;
  if (power_down) {
    append(rules,
           power_down_rules(
               t, dram.refresh_mode == RefreshMode::same_bank ? C::refresh_same_bank : C::refresh));
  }
  if (dram.self_refresh) {
    append(rules, self_refresh_rules(t));
  }
  if (power_down && dram.self_refresh) {
    rules.push_back({C::power_down_exit, C::self_refresh_enter, Scope::rank, t.txp});
  }
  return rules;
}

// Activates of a rank, and its column commands in one direction.
std::vector<TimingRule> rank_rules(const DramTiming& t) {
  return {
      {C::activate, C::activate, Scope::rank, t.trrd},
      {C::activate, C::activate, Scope::rank, t.tfaw, 4},
      {C::read, C::read, Scope::rank, t.tccd},
      {C::write, C::write, Scope::rank, t.tccd},
      {C::write, C::read, Scope::rank,
       t.cwl + t.burst + std::max({t.twtr, t.trtrs - t.cl, t.tccd - t.cwl - t.burst})},
  };
}

// Longer within a bank group. `write_spacing`: from write to write.
std::vector<TimingRule> group_rules(const DramTiming& t, std::int64_t write_spacing) {
  return {
      {C::activate, C::activate, Scope::group, t.trrd_l},
      {C::read, C::read, Scope::group, t.tccd_l},
      {C::write, C::write, Scope::group, write_spacing},
      {C::write, C::read, Scope::group, t.cwl + t.burst + t.twtr_l},
  };
}

}  // namespace

std::vector<TimingRule> ddr3_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  // At most 16 within 2 x tREFI: JESD79-3F section 4.13, JESD79-4B section 4.26.
  std::vector<TimingRule> rules{{C::refresh, C::refresh, Scope::rank, 2 * t.trefi, 16}};
  append(rules, rank_rules(t));
  append(rules, bank_rules(dram));
  append(rules, all_bank_refresh_rules(t));
  append(rules, bus_rules(t));
  append(rules, power_rules(dram));
  return rules;
}

std::vector<TimingRule> ddr4_rules(const DramParameters& dram) {
  std::vector<TimingRule> rules = group_rules(dram.timing, dram.timing.tccd_l);
  append(rules, ddr3_rules(dram));
  return rules;
}

// Precharges of a rank keep a distance too.
std::vector<TimingRule> ddr5_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  std::vector<TimingRule> rules{{C::precharge, C::precharge, Scope::rank, t.tppd}};
  append(rules, group_rules(t, t.tccd_l_wr));
  append(rules, rank_rules(t));
  append(rules, bank_rules(dram));
  append(rules, dram.refresh_mode == RefreshMode::same_bank ? same_bank_refresh_rules(t)
                                                            : all_bank_refresh_rules(t));
  append(rules, bus_rules(t));
  append(rules, power_rules(dram));
  return rules;
}

}  // namespace hmsim
