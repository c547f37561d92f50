// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks on any timing model. For each bank with a candidate, the model is asked when the
// candidate's next command is legal. An answer stays a lower bound whatever is issued later, so a
// bank is asked again only when that time has been reached.
#pragma once

#include <cstddef>
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
  // Calls `act` with each bank that has a candidate.
  template <class Act>
  void for_each_candidate(const Act& act) {
    for (std::size_t word = 0; word < candidates_.size(); ++word) {
      for (std::uint64_t left = candidates_[word]; left != 0; left &= left - 1) {
        act(static_cast<std::int32_t>(64 * word) + __builtin_ctzll(left));
      }
    }
  }

  TimingModel& timing_;
  const CommandSlots* const slots_;  // or nullptr
  const std::int64_t longest_lead_;
  // One bit for each bank; if set, the bank's asked_at is a lower bound by all rules.
  std::vector<std::uint64_t> candidates_;
};

}  // namespace hmsim
