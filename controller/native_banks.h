// SPDX-License-Identifier: BSD-3-Clause
// DRAM banks over the native timing engine.
//
// A bank with a candidate waits until the rules of its own scope allow the candidate's next
// command; from then on it is in the ready set of (command, bank group), which the
// rules of wider scopes open and close for all its banks. So the cost of an edge follows the ready
// sets, not the banks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/bank_queue.h"
#include "controller/candidates.h"
#include "controller/dram_banks.h"
#include "controller/transaction.h"
#include "controller/waiting_banks.h"
#include "core/archive.h"
#include "dram/parameters.h"
#include "dram/timing_engine.h"

namespace hmsim {

class NativeBanks final : public DramBanks {
 public:
  // At most 64 banks a group, at most 16 bank groups in all.
  NativeBanks(const DramParameters& dram, TimingEngine& engine, TransactionPool& pool);

  std::int64_t open_row(std::int32_t bank) const override { return at(bank).open_row; }
  void insert(TransactionId id, std::size_t side, Cycle now) override;
  void remove(TransactionId id, std::size_t side, Cycle now) override;
  void compete(std::size_t side, Cycle now) override;
  void column(TransactionId id, std::size_t side, Command command, Cycle now) override;
  void activate(std::int32_t bank, std::int64_t row, Cycle now) override;
  void precharge(std::int32_t bank, Cycle now) override;
  void condemn(std::int32_t bank, Cycle now) override { row_changed(bank, kCondemnedRow, now); }
  void block(std::int32_t bank, bool blocked, Cycle now) override;
  void hold(int rank, bool held) override;
  void collect(Cycle edge, Cycle turnaround, Candidates& candidates) override;
  void collect_others(Cycle edge, Candidates& candidates) override;
  void advance(Cycle edge) override;
  void look_ahead() override;
  void rebuild(Cycle now) override;
  void serialize(Archive& archive, Cycle now) override;

 private:
  enum class Place : std::uint8_t { nowhere, waiting, ready };

  struct Bank {
    std::array<BankQueue, 2> queued;
    std::int64_t open_row = kNoRow;
    int blocked = 0;  // for so many causes
    // Derived from the above:
    Best candidate;
    Place place = Place::nowhere;
    std::size_t set = 0;  // ready: in which set
    // Fixed:
    std::size_t group = 0;  // over all ranks
    std::uint64_t bit = 0;  // in the ready sets of its group
    void serialize(Archive& archive) { archive(queued, open_row, blocked); }
  };
  struct Rank {
    bool held = false;
    void serialize(Archive& archive) { archive(held); }
  };

  Bank& at(std::int32_t bank) { return banks_[static_cast<std::size_t>(bank)]; }
  const Bank& at(std::int32_t bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  void row_changed(std::int32_t bank, std::int64_t row, Cycle now);
  void update(std::int32_t bank, Cycle now);
  void place_banks();
  void place_ready(Bank& bank);
  void take_ready(Cycle edge);
  void displace(std::int32_t bank);
  template <class Found>
  std::int64_t scan(std::uint64_t sets, Cycle horizon, Found found) const;
  template <class Consider>
  void each_of(std::size_t set, Consider consider) const;
  void find_next() { next_ = earlier(earlier(next_data_, next_other_), waiting_.next()); }

  TimingEngine& engine_;
  TransactionPool& pool_;
  const int rank_shift_;           // bank >> rank_shift_ is its rank,
  const int group_shift_;          // bank >> group_shift_ its bank group, over all ranks
  const std::uint64_t data_sets_;  // the sets of reads and writes, a bit each
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::vector<std::uint64_t> ready_;  // a set for each of the engine's gates: its banks, a bit each
  std::uint64_t ready_sets_ = 0;      // the sets that are not empty, a bit each
  // Lower bounds on when the first ready set opens: of data-bus commands, of the others.
  std::int64_t next_data_ = kNeverCycle.value();
  std::int64_t next_other_ = kNeverCycle.value();
  WaitingBanks waiting_;
  std::size_t side_ = 0;
  int held_ranks_ = 0;
};

}  // namespace hmsim
