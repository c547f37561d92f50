// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_engine.h"

#include <limits>

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
      bank_ready_(static_cast<std::size_t>(ranks * banks_per_rank * kStride)),
      gates_(static_cast<std::size_t>((kCommands - 2) * groups_ + 2)),
      all_delays_(gate_delays_.size()) {
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
    bank_delays_[command] = bank_rules(rules, preceding, Scope::bank);
    same_bank_delays_[command] = bank_rules(rules, preceding, Scope::same_bank);
  }
  compile_gates(rules, ranks);
  burst_source_ = source_number(Command::read, 0);
  burst_at_ = kLongAgo;
  burst_delays_ = all_delays_[burst_source_].data();
  for (const TimingRule& rule : rules) {
    if (rule.window > 1 && rule.latency > 0) {
      add_window(rule, ranks);
    }
  }
}

std::vector<TimingEngine::Delays> TimingEngine::bank_rules(const std::vector<TimingRule>& rules,
                                                           Command preceding, Scope scope) {
  std::vector<std::int64_t> latencies(kStride, 0);
  for (const TimingRule& rule : rules) {
    if (rule.scope == scope && rule.preceding == preceding) {
      std::int64_t& latency = latencies[static_cast<std::size_t>(rule.following)];
      latency = later(latency, rule.latency);
    }
  }
  std::vector<Delays> runs;
  compile(runs, latencies);
  return runs;
}

void TimingEngine::compile_gates(const std::vector<TimingRule>& rules, int ranks) {
  const int groups = ranks * groups_per_rank_;
  for (int command = 0; command < kCommands; ++command) {
    const auto preceding = static_cast<Command>(command);
    for (int from = is_nvdimm(preceding) ? groups_ : 0;
         from < (is_nvdimm(preceding) ? groups : groups_); ++from) {
      std::vector<std::int64_t> latencies(gates_.size(), 0);
      for (const TimingRule& rule : rules) {
        if (rule.preceding != preceding || rule.window > 1) {
          continue;
        }
        for (int to = is_nvdimm(rule.following) ? groups_ : 0;
             to < (is_nvdimm(rule.following) ? groups : groups_); ++to) {
          if (applies(rule.scope, from, to, groups_per_rank_)) {
            std::int64_t& latency = latencies[gate_at(rule.following, to)];
            latency = later(latency, rule.latency);
          }
        }
      }
      compile(gate_delays_[source_number(preceding, from)], latencies);
      if (reserves_data_bus(preceding)) {
        all_delays_[source_number(preceding, from)] = latencies;
      }
    }
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
  archive(bank_ready_, gates_, burst_source_, burst_at_);
  if (burst_source_ >= all_delays_.size() || all_delays_[burst_source_].empty()) {
    throw InputError("the checkpoint is damaged: no command has such a source");
  }
  burst_delays_ = all_delays_[burst_source_].data();
  for (std::vector<Window>& windows : windows_) {
    for (Window& window : windows) {
      archive(window.last, window.position);
    }
  }
}

}  // namespace hmsim
