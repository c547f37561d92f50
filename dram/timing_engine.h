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
// by command, then by group. What commands to single banks delay beside such commands and bursts
// (refresh, power modes) is found when it is asked for, from when they were last issued.
class TimingEngine final : public TimingModel {
 public:
  static constexpr int kBankCommands = 4;  // activate, precharge, read, write
  static constexpr std::size_t kMostMaskedBanks = 64;

  // From `delay` cycles after the last burst on, the rules between bursts allow reads and writes of
  // these banks, a bit each.
  struct Opening {
    std::int64_t delay;
    std::uint64_t reads;
    std::uint64_t writes;
  };

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
    return any_gate(gate_at(command, rank * groups_per_rank_));
  }
  Cycle earliest(Command command, int bank) const override {
    return later(Cycle(bank_ready(command, bank)),
                 any_gate(gate_at(command, bank >> group_shift_)));
  }

  // Gates by number: below kBankCommands x groups() those of commands to DRAM banks, by command,
  // then by group; gate() knows these and those of NVDIMM bursts.
  std::size_t gate_number(Command command, std::size_t group) const {
    return first_gate_[static_cast<std::size_t>(command)] + group;
  }
  Cycle row_gate(std::size_t number) const { return Cycle(gates_[number]); }  // activate, precharge
  Cycle gate(std::size_t number) const {
    return Cycle(later(gates_[number], burst_at_ + burst_delays_[number]));
  }
  std::size_t groups() const { return static_cast<std::size_t>(groups_); }  // of DRAM, in all

  // The next four: of channels with at most kMostMaskedBanks. What the last burst allows at `edge`;
  const Opening& opening(Cycle edge) const {
    const std::int64_t elapsed = edge.value() - burst_at_;
    const Opening* opening = openings_;
    while (opening[1].delay <= elapsed) {
      ++opening;
    }
    return *opening;
  }
  // when it allows any;
  std::int64_t next_burst() const { return burst_at_ + openings_[1].delay; }
  // when one of these, of which there are some;
  Cycle first_opening(std::uint64_t reads, std::uint64_t writes) const {
    const Opening* opening = openings_ + 1;
    while (((reads & opening->reads) | (writes & opening->writes)) == 0) {
      ++opening;
    }
    return Cycle(burst_at_ + opening->delay);
  }
  // at `edge` that is not all: gates may keep reads and writes from what it allows.
  bool bursts_bound_by_gates(Cycle edge) const { return edge.value() < gates_bind_bursts_until_; }

  void issue(Command command, int bank, Cycle now) override;

  void serialize(Archive& archive) override;

 private:
  static constexpr int kStride = 16;  // kCommands, rounded up to a power of two
  static_assert(kCommands <= kStride);

  // Of the cycles numbered from `first` on, the next `latencies` each become at least `now` plus
  // the latency.
  struct Delays {
    std::size_t first;
    std::vector<std::int64_t> latencies;
  };
  enum class OnBank : std::uint8_t { none, one, many };
  struct alignas(64) Effects {                         // of a command
    std::array<std::int64_t, kBankCommands> delays{};  // on the next ones to its bank; 0: none
    OnBank on = OnBank::none;                          // so many of them
    std::size_t one = 0;                               // the only one
    bool beyond_bank = false;    // on gates, but for those of data-bus commands on their like
    std::int64_t on_bursts = 0;  // the longest on gates of reads and writes
  };
  // Since the last command of `source`.
  struct Distance {
    std::size_t source;
    std::int64_t latency;
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
  static bool to_bank(Command command) { return static_cast<int>(command) < kBankCommands; }
  Cycle any_gate(std::size_t number) const {
    Cycle opens = gate(number);
    for (const Distance& distance : distances_[number]) {
      opens = later(opens, Cycle(last_[distance.source] + distance.latency));
    }
    return opens;
  }
  void add_window(const TimingRule& rule, int ranks);
  static std::vector<std::int64_t> bank_rules(const std::vector<TimingRule>& rules,
                                              Command preceding, Scope scope);
  void compile_gates(const std::vector<TimingRule>& rules, int ranks);
  void compile_effects(const std::vector<TimingRule>& rules);
  void compile_bursts();
  void compile_openings(int banks_per_group);
  std::int64_t longest_on_bursts(const std::vector<Delays>& runs) const;
  bool outlasts(std::size_t source, std::size_t gate) const;
  static void compile(std::vector<Delays>& runs, const std::vector<std::int64_t>& latencies);
  static void apply(const std::vector<Delays>& runs, std::int64_t* cycles, std::int64_t now);
  void apply_same_bank(Command command, int bank, std::int64_t now);
  void pass_window(Window& window, int bank, std::int64_t now);

  int groups_per_rank_;
  int groups_;
  std::array<std::size_t, kCommands> first_gate_{};  // one for each group; NVDIMM bursts: just one
  int rank_shift_;                                   // bank >> rank_shift_ is its rank,
  int group_shift_;                                  // bank >> group_shift_ its group
  std::array<Effects, kCommands> effects_{};
  std::array<std::vector<Delays>, kCommands> same_bank_delays_;  // numbered within the bank
  std::vector<std::vector<Delays>> gate_delays_;                 // by source_number
  std::vector<std::vector<Delays>> lasting_delays_;              // likewise, of bursts
  std::vector<std::int64_t> lasting_on_bursts_;                  // the longest on their like
  std::vector<std::vector<Distance>> distances_;                 // by gate
  std::array<std::vector<Window>, kCommands> windows_;

  std::vector<std::int64_t> bank_ready_;  // bank x kStride
  std::vector<std::int64_t> last_;        // commands to banks: by source_number
  std::vector<std::int64_t> gates_;       // without the delays of the last data-bus command: when
  // one of another source follows, only those that can outlast its own are still to be known.
  std::size_t burst_source_ = 0;
  std::int64_t burst_at_ = 0;
  const std::int64_t* burst_delays_ = nullptr;  // of its source, by gate
  const Opening* openings_ = nullptr;           // of its source, by delay
  std::int64_t gates_bind_bursts_until_ = 0;
  std::vector<std::vector<std::int64_t>> all_delays_;  // data-bus commands: by source_number, gate
  std::vector<std::vector<Opening>> all_openings_;     // likewise; before the first: no bank
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

HMSIM_INLINE void TimingEngine::issue(Command command, int bank, Cycle at) {
  const Effects& effects = effects_[static_cast<std::size_t>(command)];
  const std::int64_t now = at.value();
  std::int64_t* const ready = bank_ready_.data() + static_cast<std::ptrdiff_t>(bank) * kStride;
  if (effects.on == OnBank::one) {
    ready[effects.one] = later(ready[effects.one], now + effects.delays[effects.one]);
  } else if (effects.on == OnBank::many) {
    ready[0] = later(ready[0], now + effects.delays[0]);
    ready[1] = later(ready[1], now + effects.delays[1]);
    ready[2] = later(ready[2], now + effects.delays[2]);
    ready[3] = later(ready[3], now + effects.delays[3]);
  }
  const std::size_t source = source_number(command, bank >> group_shift_);
  last_[source] = now;
  if (reserves_data_bus(command)) {
    if (source != burst_source_) {
      apply(lasting_delays_[burst_source_], gates_.data(), burst_at_);
      gates_bind_bursts_until_ =
          later(gates_bind_bursts_until_, burst_at_ + lasting_on_bursts_[burst_source_]);
      burst_source_ = source;
      burst_delays_ = all_delays_[source].data();
      openings_ = all_openings_[source].data();
    }
    burst_at_ = now;
  }
  if (effects.beyond_bank) {
    apply(gate_delays_[source], gates_.data(), now);
    gates_bind_bursts_until_ = later(gates_bind_bursts_until_, now + effects.on_bursts);
    for (Window& window : windows_[static_cast<std::size_t>(command)]) {
      pass_window(window, bank, now);
    }
    if (!same_bank_delays_[static_cast<std::size_t>(command)].empty()) {
      apply_same_bank(command, bank, now);
    }
  }
}

inline void TimingEngine::pass_window(Window& window, int bank, std::int64_t now) {
  const int rank = bank >> rank_shift_;
  const auto ring = static_cast<std::size_t>(rank);
  std::int64_t* const last = &window.last[ring * window.length];
  std::size_t& position = window.position[ring];
  last[position] = now;
  position = position + 1 == window.length ? 0 : position + 1;
  const std::int64_t opens = last[position] + window.latency;
  if (opens > now) {
    std::int64_t* const gates = &gates_[gate_at(window.following, rank * groups_per_rank_)];
    for (int group = 0; group < groups_per_rank_; ++group) {
      gates[group] = later(gates[group], opens);
    }
  }
}

}  // namespace hmsim
