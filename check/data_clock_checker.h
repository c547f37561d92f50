// SPDX-License-Identifier: BSD-3-Clause
// Rules of JESD209-5 for its data clock, WCK, which runs only for bursts. A CAS command with WS_RD
// or WS_WR starts it right before a read or write, and it runs until tWCKPST after the data. The
// ranks of a channel share its wires, so it runs for one rank at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Complements Ddr3Checker and BankGroupChecker. Reports nothing for parts of
// other families.
class DataClockChecker {
 public:
  // `violations` must outlive the checker.
  DataClockChecker(const DramParameters& dram, ViolationLog& violations)
      : lpddr5_(dram.is("lpddr5")),
        t_(dram.timing),
        violations_(violations),
        ranks_(static_cast<std::size_t>(dram.ranks)) {}

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
    if (!lpddr5_) {
      return;
    }
    Rank& rank = ranks_[static_cast<std::size_t>(record.rank)];
    if (record.command == C::data_clock_start) {
      check_start(record, rank);
    } else if (record.command == C::read || record.command == C::write) {
      check_column(record, rank);
    }
  }

  void serialize(Archive& archive) { archive.fixed(ranks_); }

 private:
  using C = ChannelCommand;

  struct Rank {
    std::int64_t start = kLongPast;    // cycle of the last unused CAS, or kLongPast
    std::int64_t runs_to = kLongPast;  // last cycle in which a read or write finds it running
    void serialize(Archive& archive) { archive(start, runs_to); }
  };

  // "CAS command, WCK2CK synchronisation": a running clock must not be started, and no start may go
  // unused.
  void check_start(const CommandRecord& record, Rank& rank) {
    const std::int64_t now = record.cycle.value();
    if (rank.start != kLongPast) {
      violations_.add("data clock started twice", record, 1, 2);
    }
    for (const Rank& each : ranks_) {
      if (now <= each.runs_to) {
        violations_.add("data clock runs", record, each.runs_to + 1, now);
      }
    }
    rank.start = now;
  }

  // The read (write) must be the next command after its CAS, and WCK must be ready for its data:
  // tWCKENL + tWCKPRE_Static + tWCKPRE_Toggle after the CAS, RL (WL) after the read (write).
  void check_column(const CommandRecord& record, Rank& rank) {
    const std::int64_t now = record.cycle.value();
    const bool write = record.command == C::write;
    const std::int64_t latency = write ? t_.cwl : t_.cl;
    if (rank.start != kLongPast) {
      const std::int64_t ready = write ? t_.twck_wr : t_.twck_rd;
      violations_.require(write ? "tWCK_WR" : "tWCK_RD", record, {C::data_clock_start, rank.start},
                          std::max<std::int64_t>(1, ready - latency));
      rank.start = kLongPast;
    } else if (now > rank.runs_to) {
      violations_.add("data clock stopped", record, now, rank.runs_to);
    }
    const std::int64_t data_end = now + latency + t_.burst + t_.burst_gap;
    rank.runs_to = std::max(rank.runs_to, data_end + t_.twckpst);
  }

  const bool lpddr5_;
  const DramTiming t_;
  ViolationLog& violations_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
