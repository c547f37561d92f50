// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_engine.h"

#include <limits>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min() / 2;

}  // namespace

TimingEngine::TimingEngine(const std::vector<TimingRule>& rules, int ranks, int groups_per_rank,
                           int banks_per_rank)
    : groups_per_rank_(groups_per_rank),
      rank_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank))),
      group_shift_(__builtin_ctz(static_cast<unsigned>(banks_per_rank / groups_per_rank))),
      gate_delays_(static_cast<std::size_t>(ranks * groups_per_rank * kStride)),
      bank_ready_(static_cast<std::size_t>(ranks * banks_per_rank * kStride)),
      gates_(static_cast<std::size_t>(ranks * groups_per_rank * kStride)) {
  for (const TimingRule& rule : rules) {
    if (rule.latency > 0) {
      compile(rule, ranks);
    }
  }
}

void TimingEngine::compile(const TimingRule& rule, int ranks) {
  const auto preceding = static_cast<std::size_t>(rule.preceding);
  if (rule.window > 1) {
    Window window{rule.latency, static_cast<std::size_t>(rule.window), {}, {}, {}};
    for (int group = 0; group < groups_per_rank_; ++group) {
      window.slots.push_back(slot(rule.following, group));
    }
    window.last.assign(static_cast<std::size_t>(ranks),
                       std::vector<std::int64_t>(window.length, kLongAgo));
    window.position.assign(static_cast<std::size_t>(ranks), 0);
    windows_[preceding].push_back(std::move(window));
    return;
  }
  if (rule.scope == Scope::bank || rule.scope == Scope::same_bank) {
    (rule.scope == Scope::bank ? bank_delays_ : same_bank_delays_)[preceding].push_back(
        {slot(rule.following, 0), rule.latency});
    longest_bank_rule_ = later(longest_bank_rule_, rule.latency);
    return;
  }
  const int groups = ranks * groups_per_rank_;
  for (int from = 0; from < groups; ++from) {
    for (int to = 0; to < groups; ++to) {
      const bool same_rank = from / groups_per_rank_ == to / groups_per_rank_;
      const bool applies = rule.scope == Scope::group  ? from == to
                           : rule.scope == Scope::rank ? same_rank
                                                       : !same_rank;
      const bool possible = is_nvdimm(rule.preceding) == (from / groups_per_rank_ == ranks - 1) &&
                            is_nvdimm(rule.following) == (to / groups_per_rank_ == ranks - 1);
      if (applies && possible) {
        gate_delays_[slot(rule.preceding, from)].push_back(
            {slot(rule.following, to), rule.latency});
      }
    }
  }
}

void TimingEngine::issue(Command command, int bank, Cycle now) {
  const auto c = static_cast<std::size_t>(command);
  std::int64_t* const ready = &bank_ready_[static_cast<std::size_t>(bank) * kStride];
  for (const Delay& delay : bank_delays_[c]) {
    ready[delay.slot] = later(ready[delay.slot], now.value() + delay.latency);
  }
  for (const Delay& delay : same_bank_delays_[c]) {
    const int banks_per_group = 1 << group_shift_;
    const int first = ((bank >> rank_shift_) << rank_shift_) + (bank & (banks_per_group - 1));
    for (int group = 0; group < groups_per_rank_; ++group) {
      std::int64_t& each =
          bank_ready_[slot(Command{}, first + group * banks_per_group) + delay.slot];
      each = later(each, now.value() + delay.latency);
    }
  }
  for (const Delay& delay : gate_delays_[slot(command, bank >> group_shift_)]) {
    gates_[delay.slot] = later(gates_[delay.slot], now.value() + delay.latency);
  }
  for (Window& window : windows_[c]) {
    const auto rank = static_cast<std::size_t>(bank >> rank_shift_);
    std::size_t& position = window.position[rank];
    window.last[rank][position] = now.value();
    position = position + 1 == window.length ? 0 : position + 1;
    const std::int64_t opens = window.last[rank][position] + window.latency;
    std::int64_t* const gates =
        &gates_[rank * static_cast<std::size_t>(groups_per_rank_) * kStride];
    for (const std::size_t slot : window.slots) {
      gates[slot] = later(gates[slot], opens);
    }
  }
}

void TimingEngine::serialize(Archive& archive) {
  archive.section("timing");
  archive(bank_ready_, gates_);
  for (std::vector<Window>& windows : windows_) {
    for (Window& window : windows) {
      archive(window.last, window.position);
    }
  }
}

}  // namespace hmsim
