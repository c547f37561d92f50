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

// A bank keeps the cycles from which the rules of its own scope, and of banks of its number, allow
// each command; a bank group those of all wider scopes (its "gates"). The table is compiled, for
// each command and place, into what it delays: few runs of neighbouring cycles, so gates are sorted
// by command, then by group.
class TimingEngine final : public TimingModel {
 public:
  // `ranks` counts the NVDIMM; banks are numbered rank x banks_per_rank + bank, bank groups in the
  // same way, and those of a group lie next to each other. Both counts are powers of two.
  TimingEngine(const std::vector<TimingRule>& rules, int ranks, int groups_per_rank,
               int banks_per_rank);

  // From then on no rule of that scope forbids `command`, as far as commands issued so far tell.
  std::int64_t bank_ready(Command command, int bank) const override {
    return bank_ready_[static_cast<std::size_t>(bank * kStride) +
                       static_cast<std::size_t>(command)];
  }
  // For commands that no bank group holds back: refresh, NVDIMM bursts.
  Cycle rank_gate(Command command, int rank) const override {
    return gate(gate_at(command, rank * groups_per_rank_));
  }
  Cycle earliest(Command command, int bank) const override {
    return later(Cycle(bank_ready(command, bank)), gate(gate_at(command, bank >> group_shift_)));
  }

  // Gates by number: below kBankCommands x groups() those of commands to DRAM banks, by command,
  // then by group.
  std::size_t gate_number(Command command, std::size_t group) const {
    return first_gate_[static_cast<std::size_t>(command)] + group;
  }
  Cycle gate(std::size_t number) const {
    return Cycle(later(gates_[number], burst_at_ + burst_delays_[number]));
  }
  std::size_t groups() const { return static_cast<std::size_t>(groups_); }  // of DRAM, in all

  void issue(Command command, int bank, Cycle now) override;

  void serialize(Archive& archive) override;

  static constexpr int kBankCommands = 4;  // activate, precharge, read, write

 private:
  static constexpr int kStride = 16;  // kCommands, rounded up to a power of two
  static_assert(kCommands <= kStride);

  // Of the cycles numbered from `first` on, the next `latencies` each become at least `now` plus
  // the latency.
  struct Delays {
    std::size_t first;
    std::vector<std::int64_t> latencies;
  };
  struct Window {
    std::int64_t latency;
    std::size_t length;
    Command following;
    std::vector<std::int64_t> last;  // per rank, a ring of `length` issue cycles
    std::vector<std::size_t> position;
  };

  std::size_t gate_at(Command command, int group) const {
    return gate_number(command, is_nvdimm(command) ? 0 : static_cast<std::size_t>(group));
  }
  std::size_t source_number(Command command, int group) const {
    return static_cast<std::size_t>(group * kStride) + static_cast<std::size_t>(command);
  }
  void add_window(const TimingRule& rule, int ranks);
  static std::vector<Delays> bank_rules(const std::vector<TimingRule>& rules, Command preceding,
                                        Scope scope);
  void compile_gates(const std::vector<TimingRule>& rules, int ranks);
  static void compile(std::vector<Delays>& runs, const std::vector<std::int64_t>& latencies);
  static void apply(const std::vector<Delays>& runs, std::int64_t* cycles, std::int64_t now);

  int groups_per_rank_;
  int groups_;
  std::array<std::size_t, kCommands> first_gate_{};  // one for each group; NVDIMM bursts: just one
  int rank_shift_;                                   // bank >> rank_shift_ is its rank,
  int group_shift_;                                  // bank >> group_shift_ its group
  std::array<std::vector<Delays>, kCommands> bank_delays_;       // numbered within the bank
  std::array<std::vector<Delays>, kCommands> same_bank_delays_;  // likewise
  std::vector<std::vector<Delays>> gate_delays_;                 // by source_number
  std::array<std::vector<Window>, kCommands> windows_;

  std::vector<std::int64_t> bank_ready_;  // bank x kStride
  std::vector<std::int64_t> gates_;       // without the delays of the last data-bus command:
  // bursts mostly follow others of their source, whose delays theirs supersede.
  std::size_t burst_source_ = 0;
  std::int64_t burst_at_ = 0;
  const std::int64_t* burst_delays_ = nullptr;         // of its source, by gate
  std::vector<std::vector<std::int64_t>> all_delays_;  // data-bus commands: by source_number, gate
};

inline void TimingEngine::apply(const std::vector<Delays>& runs, std::int64_t* cycles,
                                std::int64_t now) {
  for (const Delays& run : runs) {
    std::int64_t* const cycle = cycles + run.first;
    const std::int64_t* const latency = run.latencies.data();
    const std::size_t count = run.latencies.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (cycle[i] < now + latency[i]) {
        cycle[i] = now + latency[i];
      }
    }
  }
}

inline void TimingEngine::issue(Command command, int bank, Cycle now) {
  const auto c = static_cast<std::size_t>(command);
  apply(bank_delays_[c], bank_ready_.data() + static_cast<std::ptrdiff_t>(bank) * kStride,
        now.value());
  if (!same_bank_delays_[c].empty()) {
    const int banks_per_group = 1 << group_shift_;
    const int first = ((bank >> rank_shift_) << rank_shift_) + (bank & (banks_per_group - 1));
    for (int group = 0; group < groups_per_rank_; ++group) {
      const std::ptrdiff_t each = first + group * banks_per_group;
      apply(same_bank_delays_[c], bank_ready_.data() + each * kStride, now.value());
    }
  }
  const std::size_t source = source_number(command, bank >> group_shift_);
  if (!reserves_data_bus(command)) {
    apply(gate_delays_[source], gates_.data(), now.value());
  } else {
    if (source != burst_source_) {
      apply(gate_delays_[burst_source_], gates_.data(), burst_at_);
      burst_source_ = source;
      burst_delays_ = all_delays_[source].data();
    }
    burst_at_ = now.value();
  }
  for (Window& window : windows_[c]) {
    const int rank = bank >> rank_shift_;
    const auto ring = static_cast<std::size_t>(rank);
    std::int64_t* const last = &window.last[ring * window.length];
    std::size_t& position = window.position[ring];
    last[position] = now.value();
    position = position + 1 == window.length ? 0 : position + 1;
    const std::int64_t opens = last[position] + window.latency;
    std::int64_t* const gates = &gates_[gate_at(window.following, rank * groups_per_rank_)];
    for (int group = 0; group < groups_per_rank_; ++group) {
      gates[group] = later(gates[group], opens);
    }
  }
}

}  // namespace hmsim
