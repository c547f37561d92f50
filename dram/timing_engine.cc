// SPDX-License-Identifier: BSD-3-Clause
#include "dram/timing_engine.h"

#include <limits>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::int64_t kLongAgo = std::numeric_limits<std::int64_t>::min() / 2;

}  // namespace

TimingEngine::TimingEngine(const std::vector<TimingRule>& rules, int ranks, int banks_per_rank)
    : bank_ready_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(banks_per_rank)),
      rank_ready_(static_cast<std::size_t>(ranks)) {
  for (const TimingRule& rule : rules) {
    if (rule.latency <= 0) {
      continue;
    }
    const auto preceding = static_cast<std::size_t>(rule.preceding);
    const Follower follower{static_cast<std::uint8_t>(rule.following), rule.latency};
    if (rule.window > 1) {
      Window window{
          follower.following, rule.latency, static_cast<std::size_t>(rule.window), {}, {}};
      window.last.assign(rank_ready_.size(), std::vector<std::int64_t>(window.length, kLongAgo));
      window.position.assign(rank_ready_.size(), 0);
      windows_[preceding].push_back(std::move(window));
    } else if (rule.scope == Scope::bank) {
      bank_rules_[preceding].push_back(follower);
      longest_bank_rule_ = later(longest_bank_rule_, rule.latency);
    } else if (rule.scope == Scope::rank) {
      rank_rules_[preceding].push_back(follower);
    } else {
      other_rules_[preceding].push_back(follower);
    }
  }
}

void TimingEngine::OtherRank::raise(std::int64_t ready, int by) {
  if (by == rank) {
    first = later(first, ready);
  } else if (ready >= first) {
    second = first;
    first = ready;
    rank = by;
  } else {
    second = later(second, ready);
  }
}

void TimingEngine::issue(Command command, int rank, int bank, Cycle now) {
  const auto c = static_cast<std::size_t>(command);
  const auto r = static_cast<std::size_t>(rank);
  Ready& bank_ready = bank_ready_[static_cast<std::size_t>(bank)];
  for (const Follower& follower : bank_rules_[c]) {
    std::int64_t& ready = bank_ready[follower.following];
    ready = later(ready, now.value() + follower.latency);
  }
  for (const Follower& follower : rank_rules_[c]) {
    std::int64_t& ready = rank_ready_[r][follower.following];
    ready = later(ready, now.value() + follower.latency);
  }
  for (const Follower& follower : other_rules_[c]) {
    other_ready_[follower.following].raise(now.value() + follower.latency, rank);
  }
  for (Window& window : windows_[c]) {
    std::size_t& position = window.position[r];
    window.last[r][position] = now.value();
    position = position + 1 == window.length ? 0 : position + 1;
    std::int64_t& ready = rank_ready_[r][window.following];
    ready = later(ready, window.last[r][position] + window.latency);
  }
}

void TimingEngine::OtherRank::serialize(Archive& archive) { archive(first, second, rank); }

void TimingEngine::serialize(Archive& archive) {
  archive.section("timing");
  archive(bank_ready_, rank_ready_, other_ready_);
  for (std::vector<Window>& windows : windows_) {
    for (Window& window : windows) {
      archive(window.last, window.position);
    }
  }
}

}  // namespace hmsim
