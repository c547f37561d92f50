// SPDX-License-Identifier: BSD-3-Clause
// Rules of power-down and self-refresh for one channel's ranks, from JESD79-3F ("Power-Down Modes",
// "Self-Refresh Operation") and JESD79-4B. JESD79-5B uses the same wording.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class PowerChecker {
 public:
  // `violations` must outlive the checker.
  PowerChecker(const DramParameters& dram, ViolationLog& violations)
      : t_(dram.timing), violations_(violations), ranks_(static_cast<std::size_t>(dram.ranks)) {}

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
    Rank& rank = ranks_[static_cast<std::size_t>(record.rank)];
    switch (record.command) {
      case C::power_down_enter:
        check_power_down(record, rank);
        break;
      case C::power_down_exit:
        check_power_up(record, rank);
        break;
      case C::self_refresh_enter:
        check_self_refresh(record, rank);
        break;
      case C::self_refresh_exit:
        check_self_refresh_end(record, rank);
        break;
      default:
        check_other(record, rank);
    }
  }

  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  using C = ChannelCommand;

  struct Rank {
    bool powered_down = false;
    bool self_refreshing = false;
    bool refreshed = true;              // since the last exit from self-refresh
    std::uint64_t open = 0;             // one bit per bank
    std::int64_t activate = kLongPast;  // cycle of the last one of each kind
    std::int64_t precharge = kLongPast;
    std::int64_t read = kLongPast;
    std::int64_t refresh = kLongPast;
    std::int64_t power_down_enter = kLongPast;
    std::int64_t power_down_exit = kLongPast;
    std::int64_t self_refresh_enter = kLongPast;
    std::int64_t self_refresh_exit = kLongPast;
    void serialize(Archive& archive) {
      archive(powered_down, self_refreshing, refreshed, open, activate, precharge, read, refresh,
              power_down_enter, power_down_exit, self_refresh_enter, self_refresh_exit);
    }
  };

  // Changes of CKE are at least tCKE apart.
  void check_power_down(const CommandRecord& record, Rank& rank) {
    check_entry(record, rank);
    violations_.require("tCKE", record, {C::power_down_exit, rank.power_down_exit}, t_.tcke);
    rank.powered_down = true;
    rank.power_down_enter = record.cycle.value();
  }

  void check_power_up(const CommandRecord& record, Rank& rank) {
    if (!rank.powered_down) {
      violations_.add("not asleep", record, 1, 0);
    }
    violations_.require("tCKE", record, {C::power_down_enter, rank.power_down_enter}, t_.tcke);
    rank.powered_down = false;
    rank.power_down_exit = record.cycle.value();
  }

  // The rank must be idle as for a refresh, and must have been refreshed since its last
  // self-refresh.
  void check_self_refresh(const CommandRecord& record, Rank& rank) {
    check_entry(record, rank);
    violations_.require("tXP", record, {C::power_down_exit, rank.power_down_exit}, t_.txp);
    violations_.require("tRP", record, {C::precharge, rank.precharge}, t_.trp);
    violations_.require("tRC", record, {C::activate, rank.activate}, t_.trc);
    violations_.require("tRFC", record, {C::refresh, rank.refresh}, t_.trfc);
    if (!rank.refreshed) {
      violations_.add("refresh before self-refresh", record, 1, 0);
    }
    rank.self_refreshing = true;
    rank.self_refresh_enter = record.cycle.value();
  }

  void check_self_refresh_end(const CommandRecord& record, Rank& rank) {
    if (!rank.self_refreshing) {
      violations_.add("not asleep", record, 1, 0);
    }
    violations_.require("tCKESR", record, {C::self_refresh_enter, rank.self_refresh_enter},
                        t_.tckesr);
    rank.self_refreshing = false;
    rank.refreshed = false;
    rank.self_refresh_exit = record.cycle.value();
  }

  void check_other(const CommandRecord& record, Rank& rank) {
    if (rank.powered_down || rank.self_refreshing) {
      violations_.add("asleep", record, 0, 1);
    }
    violations_.require("tXP", record, {C::power_down_exit, rank.power_down_exit}, t_.txp);
    violations_.require("tXS", record, {C::self_refresh_exit, rank.self_refresh_exit}, t_.txs);
    const std::int64_t now = record.cycle.value();
    if (record.command == C::activate) {
      rank.open |= std::uint64_t{1} << record.bank;
      rank.activate = now;
    } else if (record.command == C::precharge) {
      rank.open &= ~(std::uint64_t{1} << record.bank);
      rank.precharge = now;
    } else if (record.command == C::read) {
      violations_.require("tXSDLL", record, {C::self_refresh_exit, rank.self_refresh_exit},
                          t_.txsdll);
      rank.read = now;
    } else if (record.command == C::refresh) {
      rank.refresh = now;
      rank.refreshed = true;
    }
  }

  // A rank enters either mode awake, with all banks precharged and all read data transferred
  // (tRDPDEN).
  void check_entry(const CommandRecord& record, const Rank& rank) {
    if (rank.powered_down || rank.self_refreshing) {
      violations_.add("asleep", record, 0, 1);
    }
    if (rank.open != 0) {
      violations_.add("sleep with open bank", record, 0, 1);
    }
    violations_.require("tRDPDEN", record, {C::read, rank.read}, t_.cl + t_.burst + 1);
    violations_.require("tXS", record, {C::self_refresh_exit, rank.self_refresh_exit}, t_.txs);
  }

  const DramTiming t_;
  ViolationLog& violations_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
