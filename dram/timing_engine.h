// SPDX-License-Identifier: BSD-3-Clause
// Answers the earliest legal cycle of a command on one channel, from the rule table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

class TimingEngine {
 public:
  // `ranks` counts the NVDIMM; banks are numbered rank x banks_per_rank + bank.
  TimingEngine(const std::vector<TimingRule>& rules, int ranks, int banks_per_rank);

  // The rules of the bank's own scope, of the wider scopes, and all together: from then on none
  // forbids `command`, as far as commands issued so far tell.
  std::int64_t bank_ready(Command command, int bank) const {
    return bank_ready_[static_cast<std::size_t>(bank)][static_cast<std::size_t>(command)];
  }
  Cycle rank_earliest(Command command, int rank) const {
    const auto c = static_cast<std::size_t>(command);
    const OtherRank& other = other_ready_[c];
    return Cycle(later(rank_ready_[static_cast<std::size_t>(rank)][c],
                       other.rank == rank ? other.second : other.first));
  }
  Cycle earliest(Command command, int rank, int bank) const {
    return later(Cycle(bank_ready(command, bank)), rank_earliest(command, rank));
  }

  // No bank-scope rule reaches further into the future, in cycles.
  std::int64_t longest_bank_rule() const { return longest_bank_rule_; }

  void issue(Command command, int rank, int bank, Cycle now);

  void serialize(Archive& archive);

 private:
  struct Follower {
    std::uint8_t following;
    std::int64_t latency;
  };
  struct Window {
    std::uint8_t following;
    std::int64_t latency;
    std::size_t length;
    std::vector<std::vector<std::int64_t>> last;  // per rank, a ring of issue cycles
    std::vector<std::size_t> position;
  };
  // The latest constraint that any rank puts on the others, and the latest by a different rank.
  struct OtherRank {
    std::int64_t first = 0;
    std::int64_t second = 0;
    int rank = -1;

    void raise(std::int64_t ready, int by);
    void serialize(Archive& archive);
  };
  using Ready = std::array<std::int64_t, kCommands>;

  std::array<std::vector<Follower>, kCommands> bank_rules_;
  std::array<std::vector<Follower>, kCommands> rank_rules_;
  std::array<std::vector<Follower>, kCommands> other_rules_;
  std::array<std::vector<Window>, kCommands> windows_;

  std::int64_t longest_bank_rule_ = 0;
  std::vector<Ready> bank_ready_;
  std::vector<Ready> rank_ready_;
  std::array<OtherRank, kCommands> other_ready_;
};

}  // namespace hmsim
