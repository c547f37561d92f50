// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_rules.h"

#include <algorithm>

namespace hmsim {

namespace {

using C = Command;

void append(std::vector<TimingRule>& rules, const std::vector<TimingRule>& more) {
  rules.insert(rules.end(), more.begin(), more.end());
}

// One bank, and the refresh of a rank: alike in all families.
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
      {C::precharge, C::refresh, Scope::rank, t.trp},
      {C::activate, C::refresh, Scope::rank, t.trc},
      {C::refresh, C::activate, Scope::rank, t.trfc},
      {C::refresh, C::refresh, Scope::rank, t.trfc},
      // At most 16 within 2 x tREFI: JESD79-3F section 4.13, JESD79-4B section 4.26.
      {C::refresh, C::refresh, Scope::rank, 2 * t.trefi, 16},
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

}  // namespace

std::vector<TimingRule> ddr3_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  std::vector<TimingRule> rules{
      {C::activate, C::activate, Scope::rank, t.trrd},
      {C::activate, C::activate, Scope::rank, t.tfaw, 4},
      {C::read, C::read, Scope::rank, t.tccd},
      {C::write, C::write, Scope::rank, t.tccd},
      {C::write, C::read, Scope::rank,
       t.cwl + t.burst + std::max({t.twtr, t.trtrs - t.cl, t.tccd - t.cwl - t.burst})},
  };
  append(rules, bank_rules(dram));
  append(rules, bus_rules(t));
  return rules;
}

// As DDR3, and longer within a bank group.
std::vector<TimingRule> ddr4_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  std::vector<TimingRule> rules{
      {C::activate, C::activate, Scope::group, t.trrd_l},
      {C::read, C::read, Scope::group, t.tccd_l},
      {C::write, C::write, Scope::group, t.tccd_l},
      {C::write, C::read, Scope::group, t.cwl + t.burst + t.twtr_l},
  };
  append(rules, ddr3_rules(dram));
  return rules;
}

// As DDR4; writes within a bank group, and precharges of a rank, keep another distance.
std::vector<TimingRule> ddr5_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  std::vector<TimingRule> rules{
      {C::write, C::write, Scope::group, t.tccd_l_wr},
      {C::precharge, C::precharge, Scope::rank, t.tppd},
  };
  append(rules, ddr4_rules(dram));
  return rules;
}

}  // namespace hmsim
