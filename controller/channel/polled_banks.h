// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks on any timing model. For each bank with a candidate, the model is asked when the
// candidate's next command is legal. An answer stays a lower bound whatever is issued later, so a
// bank is asked again only when that time has been reached.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "dram/command_slots.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

class PolledBanks final : public DramBanks {
 public:
  // `slots`: command slots on the channel's wires; nullptr if every command of the standard takes
  // one slot.
  PolledBanks(const DramParameters& dram, TimingModel& timing, TransactionPool& pool,
              const CommandSlots* slots = nullptr);

  void column(Transaction& transaction, std::size_t side, Command command, Cycle now,
              Cycle start) override;
  void activate(const Transaction& transaction, Cycle now) override;
  void precharge(std::int32_t bank, Cycle now) override;
  void refresh(Command command, std::int32_t bank, Cycle now) override {
    timing_.issue(command, bank, now);
  }
  Cycle activate_ready(std::int32_t bank) const override {
    return Cycle(timing_.bank_ready(Command::activate, bank));
  }
  const Best* select_burst(Cycle edge, bool by_key) override;
  const Best* select_row(Cycle edge) override;
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle /*edge*/) override { look_ahead(); }
  void look_ahead() override;

 private:
  void update(std::int32_t bank, Cycle now) override;
  void forget() override {}
  const Best* legal_by(std::int32_t bank, std::int64_t now, std::int64_t horizon);
  void ask(std::int32_t bank);
  // A data clock may have to be started this many cycles before the candidate's command.
  std::int64_t lead_from(const Bank& bank) const { return bank.asked_at - longest_lead_; }
  bool has_candidate(std::int32_t bank) const {
    return has_candidate_[static_cast<std::size_t>(bank)];
  }

  TimingModel& timing_;
  const CommandSlots* const slots_;  // or nullptr
  const std::int64_t longest_lead_;
  const std::int32_t count_;
  std::vector<bool> has_candidate_;  // by bank; if set, asked_at is a lower bound by all rules
};

}  // namespace hmsim
