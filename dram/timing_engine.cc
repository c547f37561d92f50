// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_engine.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min() / 2;

// Limits cycles so that conversion to picoseconds cannot overflow, which would make time run
// backwards.
void check_cycle(const Archive& archive, std::int64_t cycle) {
  archive.check(cycle < std::int64_t{1} << 51, "command in the far future");
}

// Bank groups of a rank, of a stack of its dies, and of a DIMM.
struct Groups {
  int of_rank;
  int of_stack;
  int of_dimm;
};

bool applies(Scope scope, int from, int to, const Groups& groups) {
  const bool same_rank = from / groups.of_rank == to / groups.of_rank;
  switch (scope) {
    case Scope::group:
      return from == to;
    case Scope::rank:
      return same_rank;
    case Scope::other_rank:
      return !same_rank;
    case Scope::other_dimm:
      return from / groups.of_dimm != to / groups.of_dimm;
    case Scope::other_stack:
      return same_rank && from / groups.of_stack != to / groups.of_stack;
    case Scope::bank:
    case Scope::same_bank:
      break;
  }
  return false;
}

}  // namespace

TimingEngine::TimingEngine(const std::vector<TimingRule>& rules, int ranks, int groups_per_rank,
                           int banks_per_rank, int turns, int stacks, int dimm_ranks)
    : groups_per_rank_(groups_per_rank),
      groups_((ranks - 1) * groups_per_rank),
      groups_per_stack_(groups_per_rank / stacks),
      groups_per_dimm_((dimm_ranks == 0 ? ranks - 1 : dimm_ranks) * groups_per_rank),
      turns_(turns == 0 ? banks_per_rank / groups_per_rank : turns),
      rank_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank))),
      group_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank / groups_per_rank))),
      nvdimm_(place_of((ranks - 1) * banks_per_rank)),
      bank_ready_(static_cast<std::size_t>(ranks * banks_per_rank * kStride)) {
  const auto sources =
      static_cast<std::size_t>(ranks) * static_cast<std::size_t>(groups_per_rank * kStride);
  const auto gates = (std::size_t{kCommands} - 2) * static_cast<std::size_t>(groups_) + 2;
  table_.gate_delays.resize(sources);
  table_.lasting_delays.resize(sources);
  table_.lasting_on_bursts.resize(sources);
  table_.lasting_banks.resize(sources);
  table_.burst_delays.resize(sources);
  table_.openings.resize(sources);
  table_.distances.resize(gates);
  last_.assign(sources, kLongAgo);
  gates_.resize(gates);
  // Gates of commands to single banks come first and are adjacent, because most are delayed
  // together.
  std::size_t next = kBankCommands * groups();
  for (std::size_t command = 0; command < kCommands; ++command) {
    if (command < kBankCommands) {
      table_.first_gate[command] = command * groups();
    } else {
      table_.first_gate[command] = next;
      next += is_nvdimm(static_cast<Command>(command)) ? 1 : groups();
    }
  }
  for (std::size_t command = 0; command < kCommands; ++command) {
    const auto preceding = static_cast<Command>(command);
    table_.same_bank_delays[command] = compile(bank_rules(rules, preceding, Scope::same_bank));
  }
  compile_own_delays(rules);
  compile_gates(rules, ranks);
  compile_bursts(banks_per_rank / groups_per_rank);
  compile_openings(banks_per_rank / groups_per_rank);
  burst_source_ = source_number(Command::read, 0);
  burst_at_ = kLongAgo;
  burst_delays_ = table_.burst_delays[burst_source_].data();
  last_openings_ = table_.openings[burst_source_].data();
  Ring ring;
  ring.cycles.fill(kLongAgo);
  activates_.assign(static_cast<std::size_t>(ranks), ring);
  compile_spacing(rules);
  compile_windows(rules);
  compile_effects();
}

std::size_t TimingEngine::window_length(const TimingRule& rule) {
  const auto length = static_cast<std::size_t>(rule.window);
  ensure(length <= kLongestWindow, "timing engine", Tick(0), -1, "a rule's window is too long");
  return length;
}

// Beyond its bank, an activate delays only activates of its rank, apart from remembered rules.
void TimingEngine::compile_spacing(const std::vector<TimingRule>& rules) {
  for (const TimingRule& rule : rules) {
    const bool in_bank = rule.scope == Scope::bank || rule.scope == Scope::same_bank;
    if (rule.preceding != Command::activate || rule.latency <= 0 || in_bank ||
        is_remembered(rule)) {
      continue;
    }
    ensure(rule.following == Command::activate && rule.scope != Scope::other_rank &&
               (rule.window == 1 || (rule.scope == Scope::rank && table_.spacing.length == 1)),
           "timing engine", Tick(0), -1, "rules of activates that this DRAM does not have");
    if (rule.window > 1) {
      table_.spacing.window = rule.latency;
      table_.spacing.length = window_length(rule);
    } else {
      std::int64_t& spacing =
          rule.scope == Scope::group ? table_.spacing.in_group : table_.spacing.in_rank;
      spacing = later(spacing, rule.latency);
    }
  }
}

void TimingEngine::compile_windows(const std::vector<TimingRule>& rules) {
  for (const TimingRule& rule : rules) {
    if (rule.window == 1 || rule.latency <= 0) {
      continue;
    }
    const std::size_t length = window_length(rule);
    bool possible = rule.scope == Scope::rank;
    if (rule.following == Command::activate) {
      possible = possible && length == table_.spacing.length;
      if (rule.preceding == Command::refresh_same_bank) {
        table_.spacing.after_refresh = rule.latency;
      }
    } else {
      auto window = std::find_if(windows_.begin(), windows_.end(), [&rule](const Window& each) {
        return each.following == rule.following;
      });
      if (window == windows_.end()) {
        window = windows_.insert(window, {rule.following, length, {}, activates_});
      }
      possible = possible && length == window->length;
      window->latencies[static_cast<std::size_t>(rule.preceding)] = rule.latency;
    }
    ensure(possible, "timing engine", Tick(0), -1, "a window that this DRAM does not have");
  }
}

// Within a bank, an activate may delay any command, a precharge only activates, and a read or write
// only precharges.
void TimingEngine::compile_own_delays(const std::vector<TimingRule>& rules) {
  for (std::size_t command = 0; command < kBankCommands; ++command) {
    const auto preceding = static_cast<Command>(command);
    const std::vector<std::int64_t> own = bank_rules(rules, preceding, Scope::bank);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto following = static_cast<Command>(i);
      const bool expected = preceding == Command::activate    ? i < kBankCommands
                            : preceding == Command::precharge ? following == Command::activate
                                                              : following == Command::precharge;
      ensure(expected || own[i] <= 0, "timing engine", Tick(0), -1,
             "rules of one bank that this DRAM does not have");
      if (i < kBankCommands) {
        table_.own_delays[command][i] = own[i];
      }
    }
  }
}

void TimingEngine::compile_effects() {
  for (std::size_t command = 0; command < kCommands; ++command) {
    Effects& effects = table_.effects[command];
    effects.elsewhere = !table_.same_bank_delays[command].empty() ||
                        std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
                          return window.latencies[command] > 0;
                        });
    for (std::size_t source = command; source < table_.gate_delays.size(); source += kStride) {
      effects.on_gates = effects.on_gates || !table_.gate_delays[source].empty();
      effects.on_bursts = later(effects.on_bursts, longest_on_bursts(table_.gate_delays[source]));
    }
  }
}

void TimingEngine::issue(Command command, int bank, Cycle now) {
  const BankPlace place = place_of(bank);
  if (is_nvdimm(command)) {
    nvdimm_burst(command, now);
  } else if (!to_bank(command)) {
    to_rank(command, place, now);
  } else if (command == Command::activate) {
    activate(place, now);
  } else if (command == Command::precharge) {
    precharge(place, now);
  } else {
    column(command, place, now);
  }
}

// Returns latencies by following command, 0 where there is no rule.
std::vector<std::int64_t> TimingEngine::bank_rules(const std::vector<TimingRule>& rules,
                                                   Command preceding, Scope scope) {
  std::vector<std::int64_t> latencies(kStride, 0);
  for (const TimingRule& rule : rules) {
    if (rule.scope == scope && rule.preceding == preceding) {
      std::int64_t& latency = latencies[static_cast<std::size_t>(rule.following)];
      latency = later(latency, rule.latency);
    }
  }
  return latencies;
}

void TimingEngine::compile_gates(const std::vector<TimingRule>& rules, int ranks) {
  const int groups = ranks * groups_per_rank_;
  for (int command = 0; command < kCommands; ++command) {
    const auto preceding = static_cast<Command>(command);
    for (int from = is_nvdimm(preceding) ? groups_ : 0;
         from < (is_nvdimm(preceding) ? groups : groups_); ++from) {
      const std::size_t source = source_number(preceding, static_cast<std::size_t>(from));
      std::vector<std::int64_t> latencies(gates_.size(), 0);
      if (reserves_data_bus(preceding)) {
        table_.burst_delays[source] = latencies;
      }
      for (const TimingRule& rule : rules) {
        if (rule.preceding != preceding || rule.window > 1 ||
            (preceding == Command::activate && !is_remembered(rule))) {
          continue;
        }
        for (int to = is_nvdimm(rule.following) ? groups_ : 0;
             to < (is_nvdimm(rule.following) ? groups : groups_); ++to) {
          if (!applies(rule.scope, from, to,
                       {groups_per_rank_, groups_per_stack_, groups_per_dimm_})) {
            continue;
          }
          const std::size_t gate = gate_at(rule.following, to);
          if (is_remembered(rule)) {
            table_.distances[gate].push_back({source, rule.latency});
          } else if (reserves_data_bus(preceding) && reserves_data_bus(rule.following)) {
            table_.burst_delays[source][gate] =
                later(table_.burst_delays[source][gate], rule.latency);
          } else {
            latencies[gate] = later(latencies[gate], rule.latency);
          }
        }
      }
      table_.gate_delays[source] = compile(latencies);
    }
  }
}

// Finds the delays of a burst that outlast those of the next burst from any other source.
void TimingEngine::compile_bursts(int banks_per_group) {
  for (std::size_t source = 0; source < table_.burst_delays.size(); ++source) {
    std::vector<std::int64_t> latencies = table_.burst_delays[source];
    for (std::size_t gate = 0; gate < latencies.size(); ++gate) {
      latencies[gate] = latencies[gate] > 0 && outlasts(source, gate) ? latencies[gate] : 0;
    }
    table_.lasting_delays[source] = compile(latencies);
    table_.lasting_on_bursts[source] = longest_on_bursts(table_.lasting_delays[source]);
    table_.lasting_banks[source] =
        banks_with_late_bursts(table_.lasting_delays[source], banks_per_group);
  }
}

void TimingEngine::compile_openings(int banks_per_group) {
  if (groups_ * banks_per_group > static_cast<int>(kMostMaskedBanks)) {
    return;
  }
  const std::uint64_t banks = ~std::uint64_t{0} >> (64 - banks_per_group);
  for (std::size_t source = 0; source < table_.burst_delays.size(); ++source) {
    if (table_.burst_delays[source].empty()) {
      continue;
    }
    std::map<std::int64_t, Opening> openings;  // by delay
    for (int group = 0; group < groups_; ++group) {
      const std::uint64_t of_group = banks << (group * banks_per_group);
      openings[table_.burst_delays[source][gate_at(Command::read, group)]].reads |= of_group;
      openings[table_.burst_delays[source][gate_at(Command::write, group)]].writes |= of_group;
    }
    Opening sum{kLongAgo, 0, 0};
    table_.openings[source].push_back(sum);
    for (const auto& [delay, opened] : openings) {
      sum = {delay, sum.reads | opened.reads, sum.writes | opened.writes};
      table_.openings[source].push_back(sum);
    }
    sum.delay = std::numeric_limits<std::int64_t>::max();
    table_.openings[source].push_back(sum);
  }
}

std::int64_t TimingEngine::longest_on_bursts(const Delays& delays) const {
  std::int64_t longest = 0;
  for (const Delay& delay : delays) {
    if (delay.number >= gate_at(Command::read, 0) && delay.number < kBankCommands * groups()) {
      longest = later(longest, delay.latency);
    }
  }
  return longest;
}

// Returns the banks whose read or write gates are among the delayed ones, for banks that have a
// bit.
std::uint64_t TimingEngine::banks_with_late_bursts(const Delays& delays,
                                                   int banks_per_group) const {
  std::uint64_t banks = 0;
  for (const Delay& delay : delays) {
    if (delay.number >= gate_at(Command::read, 0) && delay.number < kBankCommands * groups()) {
      const std::size_t group = (delay.number - gate_at(Command::read, 0)) % groups();
      const std::size_t first = group * static_cast<std::size_t>(banks_per_group);
      if (first < kMostMaskedBanks) {
        banks |= (~std::uint64_t{0} >> (64 - banks_per_group)) << first;
      }
    }
  }
  return banks;
}

bool TimingEngine::outlasts(std::size_t source, std::size_t gate) const {
  const std::vector<std::int64_t>& delays = table_.burst_delays[source];
  for (std::size_t next = 0; next < table_.burst_delays.size(); ++next) {
    if (!table_.burst_delays[next].empty() && next != source) {
      const std::size_t command = next % kStride;
      const std::size_t own =
          gate_at(static_cast<Command>(command), static_cast<int>(next / kStride));
      if (later(delays[own], std::int64_t{0}) + table_.burst_delays[next][gate] < delays[gate]) {
        return true;
      }
    }
  }
  return false;
}

void TimingEngine::apply_elsewhere(Command command, const BankPlace& place, std::int64_t now) {
  const auto index = static_cast<std::size_t>(command);
  const int end = (place.rank + 1) << rank_shift_;
  for (int each = (place.rank << rank_shift_) + (place.bank & (turns_ - 1)); each < end;
       each += turns_) {
    apply(table_.same_bank_delays[index], times_of(place_of(each)), now);
  }
  for (Window& window : windows_) {
    if (const std::int64_t latency = window.latencies[index]) {
      raise_gates(window.following, place.rank,
                  window.rings[place.rank].push(now + latency, window.length));
    }
  }
  const Spacing& spacing = table_.spacing;
  if (command == Command::refresh_same_bank && spacing.after_refresh > 0) {
    const std::int64_t entry = now + spacing.after_refresh - spacing.window;
    raise_gates(Command::activate, place.rank,
                activates_[place.rank].push(entry, spacing.length) + spacing.window);
  }
}

// Lets no such command be issued to the rank before `opens`.
void TimingEngine::raise_gates(Command following, int rank, std::int64_t opens) {
  const auto groups = static_cast<std::size_t>(groups_per_rank_);
  const std::size_t first = gate_number(following, static_cast<std::size_t>(rank) * groups);
  for (std::size_t gate = first; gate < first + groups; ++gate) {
    gates_[gate] = later(gates_[gate], opens);
  }
}

// Keeps the positive latencies only.
TimingEngine::Delays TimingEngine::compile(const std::vector<std::int64_t>& latencies) {
  Delays delays;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    if (latencies[i] > 0) {
      delays.push_back({i, latencies[i]});
    }
  }
  return delays;
}

void TimingEngine::Ring::serialize(Archive& archive, std::size_t length) {
  archive(position);
  for (std::size_t i = 0; i < length; ++i) {
    archive(cycles[i]);
  }
  archive.check_index(position, length, "invalid place in a window");
  for (std::size_t i = 0; i < length; ++i) {
    check_cycle(archive, cycles[i]);
  }
}

void TimingEngine::serialize(Archive& archive) {
  archive.section("timing");
  archive.fixed(bank_ready_, last_, gates_);
  archive(burst_source_, burst_at_);
  archive.check(
      burst_source_ < table_.burst_delays.size() && !table_.burst_delays[burst_source_].empty(),
      "invalid source of a command");
  check_cycle(archive, burst_at_);
  for (const std::vector<std::int64_t>* each : {&bank_ready_, &last_, &gates_}) {
    for (const std::int64_t cycle : *each) {
      check_cycle(archive, cycle);
    }
  }
  if (archive.loading()) {
    burst_delays_ = table_.burst_delays[burst_source_].data();
    last_openings_ = table_.openings[burst_source_].data();
    const auto bursts = gates_.begin() + static_cast<std::ptrdiff_t>(gate_at(Command::read, 0));
    gates_bind_bursts_until_ = *std::max_element(
        bursts, gates_.begin() + kBankCommands * static_cast<std::ptrdiff_t>(groups_));
    bound_banks_ = ~std::uint64_t{0};
  }
  for (Ring& ring : activates_) {
    ring.serialize(archive, table_.spacing.length);
  }
  for (Window& window : windows_) {
    for (Ring& ring : window.rings) {
      ring.serialize(archive, window.length);
    }
  }
}

}  // namespace hmsim
