// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks over any timing model: it is asked, for each bank that has a candidate, when the
// candidate's next command is legal. An answer stays a lower bound whatever is issued later, so a
// bank is asked again only when its answer has come.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/bank_queue.h"
#include "controller/dram_banks.h"
#include "dram/parameters.h"
#include "dram/timing_model.h"

namespace hmsim {

class PolledBanks final : public DramBanks {
 public:
  PolledBanks(const DramParameters& dram, TimingModel& timing, TransactionPool& pool);

  std::int64_t open_row(std::int32_t bank) const override { return at(bank).open_row; }
  void insert(TransactionId id, std::size_t side, Cycle now) override;
  void remove(TransactionId id, std::size_t side, Cycle now) override;
  void compete(std::size_t side, Cycle now) override;
  void column(TransactionId id, std::size_t side, Command command, Cycle now) override;
  void activate(std::int32_t bank, std::int64_t row, Cycle now) override;
  void precharge(std::int32_t bank, Cycle now) override;
  void condemn(std::int32_t bank, Cycle now) override { row_changed(bank, kCondemnedRow, now); }
  void block(std::int32_t bank, bool blocked, Cycle now) override;
  void hold(int rank, bool held) override { ranks_[static_cast<std::size_t>(rank)].held = held; }
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle /*edge*/) override { look_ahead(); }
  void look_ahead() override;
  void rebuild(Cycle now) override;
  void serialize(Archive& archive, Cycle now) override;

 private:
  struct Bank {
    std::array<BankQueue, 2> queued;
    std::int64_t open_row = kNoRow;
    int blocked = 0;  // for so many causes
    // Derived from the above:
    bool competes = false;
    Best candidate;
    std::int64_t ready_at = 0;  // by the bank's own rules
    std::int64_t legal_at = 0;  // lower bound, by all rules
    void serialize(Archive& archive) { archive(queued, open_row, blocked); }
  };
  struct Rank {
    bool held = false;
    void serialize(Archive& archive) { archive(held); }
  };

  Bank& at(std::int32_t bank) { return banks_[static_cast<std::size_t>(bank)]; }
  const Bank& at(std::int32_t bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  Rank& rank_of(std::size_t bank) {
    return ranks_[bank / static_cast<std::size_t>(banks_per_rank_)];
  }
  void row_changed(std::int32_t bank, std::int64_t row, Cycle now);
  void update(std::int32_t bank, Cycle now);
  const Best* legal_by(std::size_t index, std::int64_t now, std::int64_t horizon);
  void ask(std::size_t bank);

  TimingModel& timing_;
  TransactionPool& pool_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::size_t side_ = 0;
};

}  // namespace hmsim
