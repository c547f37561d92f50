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

bool applies(Scope scope, int from, int to, int groups_per_rank) {
  const bool same_rank = from / groups_per_rank == to / groups_per_rank;
  switch (scope) {
    case Scope::group:
      return from == to;
    case Scope::rank:
      return same_rank;
    case Scope::other_rank:
      return !same_rank;
    case Scope::bank:
    case Scope::same_bank:
      break;
  }
  return false;
}

}  // namespace

TimingEngine::TimingEngine(const std::vector<TimingRule>& rules, int ranks, int groups_per_rank,
                           int banks_per_rank)
    : groups_per_rank_(groups_per_rank),
      groups_((ranks - 1) * groups_per_rank),
      rank_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank))),
      group_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank / groups_per_rank))),
      gate_delays_(static_cast<std::size_t>(ranks * groups_per_rank * kStride)),
      lasting_delays_(gate_delays_.size()),
      lasting_on_bursts_(gate_delays_.size()),
      distances_(static_cast<std::size_t>((kCommands - 2) * groups_ + 2)),
      bank_ready_(static_cast<std::size_t>(ranks * banks_per_rank * kStride)),
      last_(gate_delays_.size(), kLongAgo),
      gates_(distances_.size()),
      all_delays_(gate_delays_.size()),
      all_openings_(gate_delays_.size()) {
  // Those of commands to single banks first, and next to each other: most are delayed together.
  std::size_t next = kBankCommands * groups();
  for (std::size_t command = 0; command < kCommands; ++command) {
    if (command < kBankCommands) {
      first_gate_[command] = command * groups();
    } else {
      first_gate_[command] = next;
      next += is_nvdimm(static_cast<Command>(command)) ? 1 : groups();
    }
  }
  for (std::size_t command = 0; command < kCommands; ++command) {
    const auto preceding = static_cast<Command>(command);
    compile(same_bank_delays_[command], bank_rules(rules, preceding, Scope::same_bank));
  }
  compile_gates(rules, ranks);
  compile_bursts();
  compile_openings(banks_per_rank / groups_per_rank);
  burst_source_ = source_number(Command::read, 0);
  burst_at_ = kLongAgo;
  burst_delays_ = all_delays_[burst_source_].data();
  openings_ = all_openings_[burst_source_].data();
  for (const TimingRule& rule : rules) {
    if (rule.window > 1 && rule.latency > 0) {
      add_window(rule, ranks);
    }
  }
  compile_effects(rules);
}

void TimingEngine::compile_effects(const std::vector<TimingRule>& rules) {
  for (std::size_t command = 0; command < kCommands; ++command) {
    Effects& effects = effects_[command];
    const std::vector<std::int64_t> own =
        bank_rules(rules, static_cast<Command>(command), Scope::bank);
    for (std::size_t i = 0; i < kBankCommands; ++i) {
      if (own[i] > 0) {
        effects.on = effects.on == OnBank::none ? OnBank::one : OnBank::many;
        effects.one = i;
      }
      effects.delays[i] = own[i];
    }
    effects.beyond_bank = !windows_[command].empty() || !same_bank_delays_[command].empty();
    for (std::size_t source = command; source < gate_delays_.size(); source += kStride) {
      effects.beyond_bank = effects.beyond_bank || !gate_delays_[source].empty();
      effects.on_bursts = later(effects.on_bursts, longest_on_bursts(gate_delays_[source]));
    }
  }
}

// By following command, 0 where there is no rule.
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
      const std::size_t source = source_number(preceding, from);
      std::vector<std::int64_t> latencies(gates_.size(), 0);
      if (reserves_data_bus(preceding)) {
        all_delays_[source] = latencies;
      }
      for (const TimingRule& rule : rules) {
        if (rule.preceding != preceding || rule.window > 1) {
          continue;
        }
        const bool remembered =
            to_bank(preceding) && !to_bank(rule.following) && !is_nvdimm(rule.following);
        for (int to = is_nvdimm(rule.following) ? groups_ : 0;
             to < (is_nvdimm(rule.following) ? groups : groups_); ++to) {
          if (!applies(rule.scope, from, to, groups_per_rank_)) {
            continue;
          }
          const std::size_t gate = gate_at(rule.following, to);
          if (remembered) {
            distances_[gate].push_back({source, rule.latency});
          } else if (reserves_data_bus(preceding) && reserves_data_bus(rule.following)) {
            all_delays_[source][gate] = later(all_delays_[source][gate], rule.latency);
          } else {
            latencies[gate] = later(latencies[gate], rule.latency);
          }
        }
      }
      compile(gate_delays_[source], latencies);
    }
  }
}

// What a burst delays beyond the next one of any other source.
void TimingEngine::compile_bursts() {
  for (std::size_t source = 0; source < all_delays_.size(); ++source) {
    std::vector<std::int64_t> latencies = all_delays_[source];
    for (std::size_t gate = 0; gate < latencies.size(); ++gate) {
      latencies[gate] = outlasts(source, gate) ? latencies[gate] : 0;
    }
    compile(lasting_delays_[source], latencies);
    lasting_on_bursts_[source] = longest_on_bursts(lasting_delays_[source]);
  }
}

void TimingEngine::compile_openings(int banks_per_group) {
  if (groups_ * banks_per_group > static_cast<int>(kMostMaskedBanks)) {
    return;
  }
  const std::uint64_t banks = ~std::uint64_t{0} >> (64 - banks_per_group);
  for (std::size_t source = 0; source < all_delays_.size(); ++source) {
    if (all_delays_[source].empty()) {
      continue;
    }
    std::map<std::int64_t, Opening> openings;  // by delay
    for (int group = 0; group < groups_; ++group) {
      const std::uint64_t of_group = banks << (group * banks_per_group);
      openings[all_delays_[source][gate_at(Command::read, group)]].reads |= of_group;
      openings[all_delays_[source][gate_at(Command::write, group)]].writes |= of_group;
    }
    Opening sum{kLongAgo, 0, 0};
    all_openings_[source].push_back(sum);
    for (const auto& [delay, opened] : openings) {
      sum = {delay, sum.reads | opened.reads, sum.writes | opened.writes};
      all_openings_[source].push_back(sum);
    }
    sum.delay = std::numeric_limits<std::int64_t>::max();
    all_openings_[source].push_back(sum);
  }
}

std::int64_t TimingEngine::longest_on_bursts(const std::vector<Delays>& runs) const {
  std::int64_t longest = 0;
  for (const Delays& run : runs) {
    for (std::size_t i = 0; i < run.latencies.size(); ++i) {
      const std::size_t gate = run.first + i;
      if (gate >= gate_at(Command::read, 0) && gate < kBankCommands * groups()) {
        longest = later(longest, run.latencies[i]);
      }
    }
  }
  return longest;
}

bool TimingEngine::outlasts(std::size_t source, std::size_t gate) const {
  const std::vector<std::int64_t>& delays = all_delays_[source];
  for (std::size_t next = 0; next < all_delays_.size(); ++next) {
    if (!all_delays_[next].empty() && next != source) {
      const std::size_t command = next % kStride;
      const std::size_t own =
          gate_at(static_cast<Command>(command), static_cast<int>(next / kStride));
      if (later(delays[own], std::int64_t{0}) + all_delays_[next][gate] < delays[gate]) {
        return true;
      }
    }
  }
  return false;
}

void TimingEngine::apply_same_bank(Command command, int bank, std::int64_t now) {
  const int banks_per_group = 1 << group_shift_;
  const int first = ((bank >> rank_shift_) << rank_shift_) + (bank & (banks_per_group - 1));
  for (int group = 0; group < groups_per_rank_; ++group) {
    const std::ptrdiff_t each = first + group * banks_per_group;
    apply(same_bank_delays_[static_cast<std::size_t>(command)], bank_ready_.data() + each * kStride,
          now);
  }
}

// The runs of positive latencies.
void TimingEngine::compile(std::vector<Delays>& runs, const std::vector<std::int64_t>& latencies) {
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    if (latencies[i] <= 0) {
      continue;
    }
    if (i == 0 || latencies[i - 1] <= 0) {
      runs.push_back({i, {}});
    }
    runs.back().latencies.push_back(latencies[i]);
  }
}

void TimingEngine::add_window(const TimingRule& rule, int ranks) {
  const auto length = static_cast<std::size_t>(rule.window);
  const auto rings = static_cast<std::size_t>(ranks);
  windows_[static_cast<std::size_t>(rule.preceding)].push_back(
      {rule.latency, length, rule.following, std::vector<std::int64_t>(rings * length, kLongAgo),
       std::vector<std::size_t>(rings)});
}

void TimingEngine::serialize(Archive& archive) {
  archive.section("timing");
  archive(bank_ready_, last_, gates_, burst_source_, burst_at_);
  if (burst_source_ >= all_delays_.size() || all_delays_[burst_source_].empty()) {
    throw InputError("the checkpoint is damaged: no command has such a source");
  }
  burst_delays_ = all_delays_[burst_source_].data();
  openings_ = all_openings_[burst_source_].data();
  const auto bursts = gates_.begin() + static_cast<std::ptrdiff_t>(gate_at(Command::read, 0));
  gates_bind_bursts_until_ = *std::max_element(
      bursts, gates_.begin() + kBankCommands * static_cast<std::ptrdiff_t>(groups_));
  for (std::vector<Window>& windows : windows_) {
    for (Window& window : windows) {
      archive(window.last, window.position);
    }
  }
}

}  // namespace hmsim
