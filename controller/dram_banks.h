// SPDX-License-Identifier: BSD-3-Clause
// The DRAM banks of a channel: what competes for each, and which banks have a command to issue.
//
// A bank's candidate is its policy's best transaction, whatever the timing, so that a lesser one
// never closes the row that a better one needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/candidates.h"
#include "controller/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"

namespace hmsim {

// Banks are numbered rank x banks per rank + bank, those of a bank group next to each other.
class DramBanks {
 public:
  virtual ~DramBanks() = default;

  virtual std::int64_t open_row(std::int32_t bank) const = 0;
  // The banks of the rank with an open row, a bit each.
  std::uint64_t open_banks(int rank) const { return open_banks_[static_cast<std::size_t>(rank)]; }

  // Side 0 competes unless writes are drained: then 0 holds reads and 1 writes, and one competes.
  virtual void insert(TransactionId id, std::size_t side, Cycle now) = 0;
  virtual void remove(TransactionId id, std::size_t side, Cycle now) = 0;
  virtual void compete(std::size_t side, Cycle now) = 0;

  // Commands, issued at `now`: the transaction's RD or WR, after which it no longer competes; ACT;
  // PRE.
  virtual void column(TransactionId id, std::size_t side, Command command, Cycle now) = 0;
  virtual void activate(std::int32_t bank, std::int64_t row, Cycle now) = 0;
  virtual void precharge(std::int32_t bank, Cycle now) = 0;
  // The bank's open row takes no more hits: what competes for the bank wants it precharged first.
  virtual void condemn(std::int32_t bank, Cycle now) = 0;

  // A bank that is to be refreshed has no candidate, nor has one that sleeps. For each cause `true`
  // comes once, then `false`.
  virtual void block(std::int32_t bank, bool blocked, Cycle now) = 0;
  // No transaction of the rank may start (the command queue is full).
  virtual void hold(int rank, bool held) = 0;

  // Adds the data-bus commands that could be issued on this edge; one whose bank is ready and whose
  // rank and bus rules open within `turnaround` counts as near.
  virtual void collect(Cycle edge, Cycle turnaround, Candidates& candidates) = 0;
  // Adds, after collect(), the oldest of the other commands that could be issued.
  virtual void collect_others(Cycle edge, Candidates& candidates) = 0;
  // To be called on each edge from next() on that has no collect() (the command bus is taken).
  virtual void advance(Cycle edge) = 0;
  // Neither finds a legal command before this cycle. look_ahead() finds it again, to be called once
  // other commands than the above were issued.
  Cycle next() const { return Cycle(next_); }
  virtual void look_ahead() = 0;

  virtual void rebuild(Cycle now) = 0;  // keys changed
  virtual void serialize(Archive& archive, Cycle now) = 0;

 protected:
  explicit DramBanks(const DramParameters& dram)
      : banks_per_rank_(static_cast<std::int32_t>(dram.organisation.banks)),
        open_banks_(static_cast<std::size_t>(dram.ranks)) {}
  void set_open(std::int32_t bank, bool open) {
    std::uint64_t& banks = open_banks_[static_cast<std::size_t>(bank / banks_per_rank_)];
    const std::uint64_t bit = std::uint64_t{1} << (bank % banks_per_rank_);
    banks = open ? banks | bit : banks & ~bit;
  }

  const std::int32_t banks_per_rank_;  // at most 64
  std::vector<std::uint64_t> open_banks_;
  std::int64_t next_ = 0;
};

}  // namespace hmsim
