// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_rules.h"

namespace hmsim {

std::vector<TimingRule> ddr3_rules(const DramParameters& dram) {
  const DramTiming& t = dram.timing;
  const std::int64_t read_end = t.cl + t.burst;  // command to the end of its data
  const std::int64_t write_end = t.cwl + t.burst;
  const std::int64_t paper_delay = read_end;  // 18.75 ns at DDR3-1600
  const bool paper_write = dram.precharge_delay == PrechargeDelay::paper;
  const bool paper_read = dram.precharge_delay != PrechargeDelay::jedec;

  // The data bus: bursts follow one another with a gap of tRTRS when its driver changes, that is
  // with the rank or with the direction.
  const std::int64_t read_read = t.burst + t.trtrs;
  const std::int64_t write_write = t.burst + t.trtrs;
  const std::int64_t read_write = read_end + t.trtrs - t.cwl;
  const std::int64_t write_read = write_end + t.trtrs - t.cl;

  using C = Command;
  return {
      // One bank.
      {C::activate, C::activate, Scope::bank, t.trc},
      {C::activate, C::read, Scope::bank, t.trcd},
      {C::activate, C::write, Scope::bank, t.trcd},
      {C::activate, C::precharge, Scope::bank, t.tras},
      {C::precharge, C::activate, Scope::bank, t.trp},
      {C::read, C::precharge, Scope::bank, paper_read ? paper_delay : t.trtp},
      {C::write, C::precharge, Scope::bank, paper_write ? paper_delay : write_end + t.twr},
      // One rank.
      {C::activate, C::activate, Scope::rank, t.trrd},
      {C::activate, C::activate, Scope::rank, t.tfaw, 4},
      {C::read, C::read, Scope::rank, t.tccd},
      {C::write, C::write, Scope::rank, t.tccd},
      {C::read, C::write, Scope::rank, read_write},
      {C::write, C::read, Scope::rank, write_end + t.twtr},
      {C::precharge, C::refresh, Scope::rank, t.trp},
      {C::activate, C::refresh, Scope::rank, t.trc},
      {C::refresh, C::activate, Scope::rank, t.trfc},
      {C::refresh, C::refresh, Scope::rank, t.trfc},
      // The NVDIMM's own bursts.
      {C::nvdimm_read, C::nvdimm_read, Scope::rank, t.burst},
      {C::nvdimm_write, C::nvdimm_write, Scope::rank, t.burst},
      {C::nvdimm_read, C::nvdimm_write, Scope::rank, read_write},
      {C::nvdimm_write, C::nvdimm_read, Scope::rank, write_read},
      // Ranks that share the data bus.
      {C::read, C::read, Scope::other_rank, read_read},
      {C::read, C::write, Scope::other_rank, read_write},
      {C::read, C::nvdimm_read, Scope::other_rank, read_read},
      {C::read, C::nvdimm_write, Scope::other_rank, read_write},
      {C::write, C::read, Scope::other_rank, write_read},
      {C::write, C::write, Scope::other_rank, write_write},
      {C::write, C::nvdimm_read, Scope::other_rank, write_read},
      {C::write, C::nvdimm_write, Scope::other_rank, write_write},
      {C::nvdimm_read, C::read, Scope::other_rank, read_read},
      {C::nvdimm_read, C::write, Scope::other_rank, read_write},
      {C::nvdimm_write, C::read, Scope::other_rank, write_read},
      {C::nvdimm_write, C::write, Scope::other_rank, write_write},
  };
}

}  // namespace hmsim
