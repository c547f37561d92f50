// SPDX-License-Identifier: BSD-3-Clause
// Does the compiled engine agree with the rule table for all commands so far? The table is
// evaluated rule by rule over the whole history.
#include "dram/timing_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "dram/standard.h"

namespace hmsim::testing {
namespace {

constexpr int kSteps = 1500;
constexpr std::int64_t kMemory = 4000;  // cycles; no rule reaches further, except refresh windows

struct Issued {
  Command command;
  int bank;
  std::int64_t cycle;
};

class Table {
 public:
  explicit Table(const DramParameters& dram)
      : rules_(timing_rules(dram)),
        banks_(static_cast<int>(dram.organisation.banks)),
        banks_per_number_(static_cast<int>(dram.same_bank_stride())),
        banks_per_group_(static_cast<int>(dram.organisation.banks_per_group())),
        banks_per_stack_(static_cast<int>(dram.organisation.banks / dram.organisation.stacks)),
        banks_per_dimm_(banks_ * static_cast<int>(dram.dimm_ranks())) {}

  const std::vector<TimingRule>& rules() const { return rules_; }
  void issue(Command command, int bank, std::int64_t cycle) {
    history_.push_back({command, bank, cycle});
  }
  std::int64_t earliest(Command command, int bank) const {
    std::int64_t earliest = 0;
    for (const TimingRule& rule : rules_) {
      if (rule.following == command && rule.latency > 0) {
        earliest = std::max(earliest, after(rule, bank));
      }
    }
    return earliest;
  }

 private:
  std::int64_t after(const TimingRule& rule, int bank) const {
    int count = 0;
    for (auto past = history_.rbegin(); past != history_.rend(); ++past) {
      if (fills(past->command, rule) && applies(rule.scope, past->bank, bank) &&
          ++count == rule.window) {
        return past->command == rule.preceding ? past->cycle + rule.latency : 0;
      }
      if (rule.window == 1 && past->cycle + kMemory < history_.back().cycle) {
        return 0;
      }
    }
    return 0;
  }
  // Rules with a window to the same command share it.
  bool fills(Command command, const TimingRule& rule) const {
    const auto shares = [&](const TimingRule& each) {
      return each.preceding == command && each.following == rule.following && each.window > 1;
    };
    return rule.window > 1 ? std::any_of(rules_.begin(), rules_.end(), shares)
                           : command == rule.preceding;
  }
  bool applies(Scope scope, int from, int to) const {
    const bool same_rank = from / banks_ == to / banks_;
    switch (scope) {
      case Scope::bank:
        return from == to;
      case Scope::same_bank:
        return same_rank && from % banks_per_number_ == to % banks_per_number_;
      case Scope::group:
        return from / banks_per_group_ == to / banks_per_group_;
      case Scope::rank:
        return same_rank;
      case Scope::other_rank:
        return !same_rank;
      case Scope::other_dimm:
        return from / banks_per_dimm_ != to / banks_per_dimm_;
      case Scope::other_stack:
        return same_rank && from / banks_per_stack_ != to / banks_per_stack_;
    }
    return false;
  }

  const std::vector<TimingRule> rules_;
  const int banks_;
  const int banks_per_number_;
  const int banks_per_group_;
  const int banks_per_stack_;
  const int banks_per_dimm_;
  std::vector<Issued> history_;
};

// Runs random legal traffic over few banks of all ranks, NVDIMM bursts, and refreshes. `dimms`: of
// two ranks each; several have longer gaps between them.
void run(const char* preset, RefreshMode mode, int dimms = 1) {
  DramParameters dram;
  dram.preset = preset;
  dram.ranks = 2 * dimms;
  dram.ranks_per_dimm = 2;
  dram.refresh_mode = mode;
  dram.timing.trtrs_dimm = dimms > 1 ? 7 : kFromPreset;
  dram.resolve();
  const auto banks = static_cast<int>(dram.organisation.banks);
  const auto ranks = static_cast<int>(dram.ranks);
  const bool all = mode == RefreshMode::all_bank;
  Table table(dram);
  TimingEngine engine(table.rules(), ranks + 1, static_cast<int>(dram.organisation.groups), banks,
                      static_cast<int>(dram.same_bank_stride()),
                      static_cast<int>(dram.organisation.stacks), 2);
  std::vector<bool> open(static_cast<std::size_t>(ranks * banks));
  Random random(3);
  std::int64_t now = 0;
  for (int step = 0; step < kSteps; ++step) {
    const auto chance = random.below(40);
    int bank = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks))) * banks +
               static_cast<int>(random.below(6));
    Command command = Command::activate;
    if (chance == 0) {  // first closes the rank's banks
      command = all ? Command::refresh : Command::refresh_same_bank;
      for (int each = bank / banks * banks; each < (bank / banks + 1) * banks; ++each) {
        if (open[static_cast<std::size_t>(each)]) {
          now = std::max({now + 1, engine.earliest(Command::precharge, each).value(),
                          table.earliest(Command::precharge, each)});
          engine.issue(Command::precharge, each, Cycle(now));
          table.issue(Command::precharge, each, now);
          open[static_cast<std::size_t>(each)] = false;
        }
      }
      bank = bank / banks * banks + (all ? 0 : bank % static_cast<int>(dram.same_bank_stride()));
    } else if (chance < 8) {
      bank = ranks * banks;
      command = chance < 5 ? Command::nvdimm_read : Command::nvdimm_write;
    } else if (open[static_cast<std::size_t>(bank)]) {
      command = chance < 14 ? Command::precharge : chance < 30 ? Command::read : Command::write;
    }
    ++now;
    const std::int64_t expected = std::max(now, table.earliest(command, bank));
    ASSERT_EQ(std::max(now, engine.earliest(command, bank).value()), expected)
        << "step " << step << " command " << static_cast<int>(command) << " bank " << bank;
    now = expected;
    engine.issue(command, bank, Cycle(now));
    table.issue(command, bank, now);
    if (command == Command::activate || command == Command::precharge) {
      open[static_cast<std::size_t>(bank)] = command == Command::activate;
    }
  }
}

TEST(TimingEngine, MatchesTheTableOnDdr3) { run("ddr3_1600_4gb_x8", RefreshMode::all_bank); }
TEST(TimingEngine, MatchesTheTableOnDdr4) { run("ddr4_2400t_8gb_x8", RefreshMode::all_bank); }
TEST(TimingEngine, MatchesTheTableOnTwoDimms) {
  run("ddr3_1600_4gb_x8", RefreshMode::all_bank, 2);
  run("ddr4_2400t_8gb_x8", RefreshMode::all_bank, 2);
}
TEST(TimingEngine, MatchesTheTableOnDdr5LpddrAndHbm) {
  run("ddr5_4800b_16gb_x8", RefreshMode::all_bank);
  run("ddr5_4800b_16gb_x8", RefreshMode::same_bank);
  run("lpddr5_6400_16gb_x16", RefreshMode::same_bank);
  run("hbm3_6400_8h_4gb_x32", RefreshMode::all_bank);
  run("hbm3_6400_8h_4gb_x32", RefreshMode::same_bank);
}

}  // namespace
}  // namespace hmsim::testing
