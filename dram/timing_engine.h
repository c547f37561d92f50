// SPDX-License-Identifier: BSD-3-Clause
// Computes the earliest legal cycle of a command on one channel from the table of timing rules.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "dram/timing_model.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

// Timing model driven by compiled rules. Each bank stores, for each command, the earliest cycle
// that rules of scope `bank` and `same_bank` allow. Each bank group stores the earliest cycle that
// all wider scopes allow (its "gates"). The rule table is compiled into the delays that each
// command causes at each place. Most commands to single banks update gates directly. Their effect
// on other commands (refresh, power modes) is computed on demand from the time of the last such
// command.
class TimingEngine final : public TimingModel {
 public:
  static constexpr int kBankCommands = 4;  // activate, precharge, read, write
  static constexpr std::size_t kMostMaskedBanks = 64;

  // Banks that may read or write again `delay` cycles after the last burst, by the rules between
  // bursts. One bit per bank.
  struct Opening {
    std::int64_t delay;
    std::uint64_t reads;
    std::uint64_t writes;
  };

  // `ranks` includes the NVDIMM. Banks are numbered rank x banks_per_rank + bank, bank groups in
  // the same way, and the banks of a group are adjacent. Both counts must be powers of two.
  // `turns`: for Scope::same_bank, banks this far apart share a number; 0: banks at the same
  // position in their groups do. `dimm_ranks`: DRAM ranks of each DIMM; 0: all.
  TimingEngine(const std::vector<TimingRule>& rules, int ranks, int groups_per_rank,
               int banks_per_rank, int turns = 0, int stacks = 1, int dimm_ranks = 0);

  // Returns the earliest cycle that rules within the bank allow for `command`, given the commands
  // issued so far.
  std::int64_t bank_ready(Command command, int bank) const override {
    return bank_ready_[static_cast<std::size_t>(bank * kStride) +
                       static_cast<std::size_t>(command)];
  }
  std::int64_t bank_ready(Command command, const BankPlace& place) const {
    return bank_ready_[std::size_t{place.bank} * kStride + static_cast<std::size_t>(command)];
  }
  // For commands without a bank group: refresh and NVDIMM bursts.
  Cycle rank_gate(Command command, int rank) const override {
    return any_gate(gate_at(command, rank * groups_per_rank_));
  }
  Cycle earliest(Command command, int bank) const override {
    return later(Cycle(bank_ready(command, bank)),
                 any_gate(gate_at(command, bank >> group_shift_)));
  }

  // Returns the number of a gate. Gates of commands to DRAM banks come first, by command, then by
  // group; their numbers are below kBankCommands x groups(). gate() accepts these and the gates of
  // NVDIMM bursts.
  std::size_t gate_number(Command command, std::size_t group) const {
    return table_.first_gate[static_cast<std::size_t>(command)] + group;
  }
  Cycle row_gate(std::size_t number) const { return Cycle(gates_[number]); }  // activate, precharge
  Cycle gate(std::size_t number) const {
    return Cycle(later(gates_[number], burst_at_ + burst_delays_[number]));
  }
  std::size_t groups() const { return static_cast<std::size_t>(groups_); }  // of all DRAM ranks

  // The next four functions require at most kMostMaskedBanks banks on the channel. Returns the
  // reads and writes that the last burst allows at `edge`.
  const Opening& opening(Cycle edge) const {
    const std::int64_t elapsed = edge.value() - burst_at_;
    const Opening* opening = last_openings_;
    while (opening[1].delay <= elapsed) {
      ++opening;
    }
    return *opening;
  }
  // Returns the first cycle at which the last burst allows any read or write.
  std::int64_t next_burst() const { return burst_at_ + last_openings_[1].delay; }
  // Returns the first cycle at which the last burst allows one of these reads and writes. At least
  // one must be given.
  Cycle first_opening(std::uint64_t reads, std::uint64_t writes) const {
    const Opening* opening = last_openings_ + 1;
    while (((reads & opening->reads) | (writes & opening->writes)) == 0) {
      ++opening;
    }
    return Cycle(burst_at_ + opening->delay);
  }
  // Returns the banks whose reads and writes gates may still forbid at `edge`, although opening()
  // allows them.
  std::uint64_t bound_by_gates(Cycle edge) const {
    return edge.value() < gates_bind_bursts_until_ ? bound_banks_ : 0;
  }

  // Each of these issues a command, which must be legal at `now`. Frequent commands have separate
  // functions. nvdimm_burst() is issue() for data-bus commands of the NVDIMM.
  void nvdimm_burst(Command command, Cycle now);
  void issue(Command command, int bank, Cycle now) override;
  void activate(const BankPlace& place, Cycle now);
  void precharge(const BankPlace& place, Cycle now);
  void column(Command command, const BankPlace& place, Cycle now);   // read or write
  void to_rank(Command command, const BankPlace& place, Cycle now);  // refresh, power modes

  void serialize(Archive& archive) override;

 private:
  static constexpr int kStride = 16;  // kCommands, rounded up to a power of two
  static_assert(kCommands <= kStride);
  static constexpr std::size_t kLongestWindow = 31;

  // Raises the cycle with that number to at least `now` plus the latency.
  struct Delay {
    std::size_t number;
    std::int64_t latency;
  };
  using Delays = std::vector<Delay>;
  struct Effects {               // effects of a command beyond its bank
    bool elsewhere = false;      // on banks of the same number, or in a window
    bool on_gates = false;       // without those of bursts on bursts
    std::int64_t on_bursts = 0;  // the longest delay of a read or write gate
  };
  // Minimum distance from the last command of `source`.
  struct Distance {
    std::size_t source;
    std::int64_t latency;
  };
  struct alignas(256) Ring {  // times of the last commands to a rank, or when they allow another
    std::size_t position = 0;
    std::array<std::int64_t, kLongestWindow> cycles{};
    // Records a command and returns the entry of the one `length` commands ago.
    std::int64_t push(std::int64_t cycle, std::size_t length) {
      cycles[position] = cycle;
      position = position + 1 == length ? 0 : position + 1;
      return cycles[position];
    }
    void serialize(Archive& archive, std::size_t length);
  };
  // Minimum distances of activates in a rank: to the previous activate of the same bank group and
  // of any, and to the `length`-th activate before (`window`). REFpb is in that window if
  // `after_refresh` is not 0: the distance to the `length`-th command before, if that is a REFpb.
  struct Spacing {
    std::int64_t in_group = 0;
    std::int64_t in_rank = 0;
    std::int64_t window = 0;
    std::size_t length = 1;
    std::int64_t after_refresh = 0;
  };
  struct Window {  // of any other command
    Command following;
    std::size_t length;
    std::array<std::int64_t, kCommands> latencies{};  // by preceding command; 0: not in the window
    std::vector<Ring> rings;                          // by rank: when the commands allow another
  };

  std::size_t gate_at(Command command, int group) const {
    return gate_number(command, is_nvdimm(command) ? 0 : static_cast<std::size_t>(group));
  }
  static std::size_t source_number(Command command, std::size_t group) {
    return group * kStride + static_cast<std::size_t>(command);
  }
  std::int64_t* times_of(const BankPlace& place) {
    return bank_ready_.data() + std::size_t{place.bank} * kStride;
  }
  BankPlace place_of(int bank) const {
    return {static_cast<std::uint16_t>(bank), static_cast<std::uint16_t>(bank >> rank_shift_),
            static_cast<std::uint16_t>(bank >> group_shift_)};
  }
  std::int64_t own_delay(Command preceding, Command following) const {
    return table_
        .own_delays[static_cast<std::size_t>(preceding)][static_cast<std::size_t>(following)];
  }
  static bool to_bank(Command command) { return static_cast<int>(command) < kBankCommands; }
  Cycle any_gate(std::size_t number) const {
    Cycle opens = gate(number);
    for (const Distance& distance : table_.distances[number]) {
      opens = later(opens, Cycle(last_[distance.source] + distance.latency));
    }
    return opens;
  }
  static bool is_remembered(const TimingRule& rule) {
    return to_bank(rule.preceding) && !to_bank(rule.following) && !is_nvdimm(rule.following);
  }
  static std::size_t window_length(const TimingRule& rule);
  static std::vector<std::int64_t> bank_rules(const std::vector<TimingRule>& rules,
                                              Command preceding, Scope scope);
  void compile_own_delays(const std::vector<TimingRule>& rules);
  void compile_spacing(const std::vector<TimingRule>& rules);
  void compile_windows(const std::vector<TimingRule>& rules);
  void compile_gates(const std::vector<TimingRule>& rules, int ranks);
  void compile_effects();
  void compile_bursts(int banks_per_group);
  void compile_openings(int banks_per_group);
  std::int64_t longest_on_bursts(const Delays& delays) const;
  std::uint64_t banks_with_late_bursts(const Delays& delays, int banks_per_group) const;
  bool outlasts(std::size_t source, std::size_t gate) const;
  static Delays compile(const std::vector<std::int64_t>& latencies);
  static void apply(const Delays& delays, std::int64_t* cycles, std::int64_t now);
  void delay(Command command, std::size_t source, const BankPlace& place, std::int64_t now);
  void burst(std::size_t source, std::int64_t now);
  // Records that gates may forbid bursts to these banks until `until`.
  void bind(std::int64_t until, std::uint64_t banks, std::int64_t now) {
    if (until > now) {
      bound_banks_ = gates_bind_bursts_until_ > now ? bound_banks_ | banks : banks;
      gates_bind_bursts_until_ = later(gates_bind_bursts_until_, until);
    }
  }
  void apply_elsewhere(Command command, const BankPlace& place, std::int64_t now);
  void raise_gates(Command following, int rank, std::int64_t opens);

  // The rule table, compiled for each command (and place) into the delays that it causes. Constant
  // after construction.
  //
  // A source is a command to one bank group: source_number(). Invariant: at any time a gate opens
  // at the later of gates_[n] and burst_at_ + table_.burst_delays[burst_source_][n]. The delays of
  // the last data-bus command are kept separate, because a later command of the same source
  // supersedes them. When the source changes, the delays that can outlast those of another source
  // (lasting_...) are added to gates_.
  struct Compiled {
    std::array<std::size_t, kCommands> first_gate{};  // one per group; NVDIMM bursts: just one
    // Within a bank, by preceding and following command; 0: none.
    std::array<std::array<std::int64_t, kBankCommands>, kBankCommands> own_delays{};
    std::array<Effects, kCommands> effects{};
    std::array<Delays, kCommands> same_bank_delays;  // numbered within the bank
    std::vector<Delays> gate_delays;                 // by source
    std::vector<Delays> lasting_delays;              // by source, of bursts
    std::vector<std::int64_t> lasting_on_bursts;     // the longest of these on read and write gates
    std::vector<std::uint64_t> lasting_banks;        // banks that these delays affect
    std::vector<std::vector<Distance>> distances;    // by gate
    Spacing spacing;                                 // of activates
    std::vector<std::vector<std::int64_t>> burst_delays;  // of data-bus commands: by source, gate
    std::vector<std::vector<Opening>> openings;  // by source, then delay; the first allows no bank
  };

  const int groups_per_rank_;
  const int groups_;
  const int groups_per_stack_;
  const int groups_per_dimm_;
  const int turns_;        // a power of two
  const int rank_shift_;   // bank >> rank_shift_ is its rank
  const int group_shift_;  // bank >> group_shift_ is its group
  const BankPlace nvdimm_;
  Compiled table_;
  std::vector<Window> windows_;

  std::vector<std::int64_t> bank_ready_;        // bank x kStride
  std::vector<Ring> activates_;                 // by rank
  std::vector<std::int64_t> last_;              // by source: when its last command was issued
  std::vector<std::int64_t> gates_;             // see Compiled for their meaning
  std::size_t burst_source_ = 0;                // source of the last data-bus command
  std::int64_t burst_at_ = 0;                   // time of the last data-bus command
  const std::int64_t* burst_delays_ = nullptr;  // of that source, by gate
  const Opening* last_openings_ = nullptr;      // of that source, by delay
  std::int64_t gates_bind_bursts_until_ = 0;    // gates_ may delay bursts until then
  std::uint64_t bound_banks_ = 0;               // banks affected until then
};

inline void TimingEngine::apply(const Delays& delays, std::int64_t* cycles, std::int64_t now) {
  for (const Delay& delay : delays) {
    cycles[delay.number] = later(cycles[delay.number], now + delay.latency);
  }
}

// Replaces the bank's ready times, even later ones: no delay within a bank lasts beyond its next
// activate.
HMSIM_INLINE void TimingEngine::activate(const BankPlace& place, Cycle at) {
  const std::int64_t now = at.value();
  std::int64_t* const ready = times_of(place);
  for (std::size_t i = 0; i < kBankCommands; ++i) {
    ready[i] = now + table_.own_delays[static_cast<std::size_t>(Command::activate)][i];
  }
  last_[source_number(Command::activate, place.group)] = now;
  const std::int64_t before = activates_[place.rank].push(now, table_.spacing.length);
  const std::int64_t opens = later(now + table_.spacing.in_rank, before + table_.spacing.window);
  if (groups_per_rank_ > 1) {
    const auto groups = static_cast<std::size_t>(groups_per_rank_);
    std::int64_t* const gates = &gates_[gate_number(Command::activate, place.rank * groups)];
    for (std::size_t group = 0; group < groups; ++group) {
      gates[group] = later(gates[group], opens);
    }
  }
  gates_[gate_number(Command::activate, place.group)] = later(opens, now + table_.spacing.in_group);
  if (table_.effects[static_cast<std::size_t>(Command::activate)].elsewhere) {
    apply_elsewhere(Command::activate, place, now);
  }
}

HMSIM_INLINE void TimingEngine::precharge(const BankPlace& place, Cycle at) {
  const std::int64_t now = at.value();
  std::int64_t& ready = times_of(place)[static_cast<std::size_t>(Command::activate)];
  ready = later(ready, now + own_delay(Command::precharge, Command::activate));
  const std::size_t source = source_number(Command::precharge, place.group);
  last_[source] = now;
  delay(Command::precharge, source, place, now);
}

HMSIM_INLINE void TimingEngine::column(Command command, const BankPlace& place, Cycle at) {
  const std::int64_t now = at.value();
  std::int64_t& ready = times_of(place)[static_cast<std::size_t>(Command::precharge)];
  ready = later(ready, now + own_delay(command, Command::precharge));
  const std::size_t source = source_number(command, place.group);
  last_[source] = now;
  burst(source, now);
}

HMSIM_INLINE void TimingEngine::to_rank(Command command, const BankPlace& place, Cycle at) {
  const std::size_t source = source_number(command, place.group);
  last_[source] = at.value();
  delay(command, source, place, at.value());
}

HMSIM_INLINE void TimingEngine::nvdimm_burst(Command command, Cycle at) {
  const std::size_t source = source_number(command, nvdimm_.group);
  last_[source] = at.value();
  burst(source, at.value());
  delay(command, source, nvdimm_, at.value());
}

// Issues a data-bus command of a source.
HMSIM_INLINE void TimingEngine::burst(std::size_t source, std::int64_t now) {
  if (source != burst_source_) {
    apply(table_.lasting_delays[burst_source_], gates_.data(), burst_at_);
    bind(burst_at_ + table_.lasting_on_bursts[burst_source_], table_.lasting_banks[burst_source_],
         now);
    burst_source_ = source;
    burst_delays_ = table_.burst_delays[source].data();
    last_openings_ = table_.openings[source].data();
  }
  burst_at_ = now;
}

// Applies the delays that a command causes beyond its bank.
HMSIM_INLINE void TimingEngine::delay(Command command, std::size_t source, const BankPlace& place,
                                      std::int64_t now) {
  const auto index = static_cast<std::size_t>(command);
  const Effects& effects = table_.effects[index];
  if (effects.on_gates) {
    apply(table_.gate_delays[source], gates_.data(), now);
    bind(now + effects.on_bursts, ~std::uint64_t{0}, now);
  }
  if (effects.elsewhere) {
    apply_elsewhere(command, place, now);
  }
}

}  // namespace hmsim
