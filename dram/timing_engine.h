// SPDX-License-Identifier: BSD-3-Clause
// Answers the earliest legal cycle of a command on one channel, from the rule table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "dram/timing_model.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

// The table is compiled, for each command and place, into the list of what it delays. A bank keeps
// the cycles from which the rules of its own scope, and of banks of its number, allow each command;
// a bank group those of all wider scopes (its "gates").
class TimingEngine final : public TimingModel {
 public:
  // `ranks` counts the NVDIMM; banks are numbered rank x banks_per_rank + bank, bank groups in the
  // same way, and those of a group lie next to each other. Both counts are powers of two.
  TimingEngine(const std::vector<TimingRule>& rules, int ranks, int groups_per_rank,
               int banks_per_rank);

  // From then on no rule of that scope forbids `command`, as far as commands issued so far tell.
  std::int64_t bank_ready(Command command, int bank) const override {
    return bank_ready_[slot(command, bank)];
  }
  Cycle gate(Command command, int group) const { return Cycle(gates_[slot(command, group)]); }
  // For commands that no bank group holds back: refresh, NVDIMM bursts.
  Cycle rank_gate(Command command, int rank) const override {
    return gate(command, rank * groups_per_rank_);
  }
  Cycle earliest(Command command, int bank) const override {
    return later(Cycle(bank_ready(command, bank)), gate(command, bank >> group_shift_));
  }

  // No rule of one bank, or of banks of one number, reaches further into the future, in cycles.
  std::int64_t longest_bank_rule() const { return longest_bank_rule_; }

  void issue(Command command, int bank, Cycle now) override;

  void serialize(Archive& archive) override;

 private:
  static constexpr int kStride = 8;  // kCommands, rounded up to a power of two
  static_assert(kCommands <= kStride);

  struct Delay {
    std::size_t slot;
    std::int64_t latency;
  };
  struct Window {
    std::int64_t latency;
    std::size_t length;
    std::vector<std::size_t> slots;               // gates of one rank that it delays, rank 0
    std::vector<std::vector<std::int64_t>> last;  // per rank, a ring of issue cycles
    std::vector<std::size_t> position;
  };

  static std::size_t slot(Command command, int place) {
    return static_cast<std::size_t>(place * kStride) + static_cast<std::size_t>(command);
  }
  void compile(const TimingRule& rule, int ranks);

  int groups_per_rank_;
  int rank_shift_;   // bank >> rank_shift_ is its rank,
  int group_shift_;  // bank >> group_shift_ its group
  std::int64_t longest_bank_rule_ = 0;
  std::array<std::vector<Delay>, kCommands> bank_delays_;       // slot: of bank 0
  std::array<std::vector<Delay>, kCommands> same_bank_delays_;  // likewise
  std::vector<std::vector<Delay>> gate_delays_;                 // per (group, command) issued
  std::array<std::vector<Window>, kCommands> windows_;

  std::vector<std::int64_t> bank_ready_;
  std::vector<std::int64_t> gates_;
};

}  // namespace hmsim
