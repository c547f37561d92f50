// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks over any timing model: it is asked, for each bank that has a candidate, when the
// candidate's next command is legal. An answer stays a lower bound whatever is issued later, so a
// bank is asked again only when its answer has come.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/dram_banks.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

class PolledBanks final : public DramBanks {
 public:
  PolledBanks(const DramParameters& dram, TimingModel& timing, TransactionPool& pool);

  void column(TransactionId id, std::size_t side, Command command, Cycle now) override;
  void activate(std::int32_t bank, std::int64_t row, Cycle now) override;
  void precharge(std::int32_t bank, Cycle now) override;
  const Best* select(Cycle edge) override;
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle /*edge*/) override { look_ahead(); }
  void look_ahead() override;

 private:
  struct Slot {  // of a bank
    bool competes = false;
    Best candidate;
    std::int64_t ready_at = 0;  // by the bank's own rules
    std::int64_t legal_at = 0;  // lower bound, by all rules
  };

  void update(std::int32_t bank, Cycle now) override;
  void forget() override {}
  const Best* legal_by(std::size_t index, std::int64_t now, std::int64_t horizon);
  void ask(std::size_t bank);

  TimingModel& timing_;
  std::vector<Slot> slots_;
};

}  // namespace hmsim
