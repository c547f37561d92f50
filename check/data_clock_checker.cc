// SPDX-License-Identifier: BSD-3-Clause
#include "check/data_clock_checker.h"

#include <algorithm>

namespace hmsim {

namespace {

using C = ChannelCommand;

}  // namespace

DataClockChecker::DataClockChecker(const DramParameters& dram, ViolationLog& violations)
    : lpddr5_(dram.is("lpddr5")),
      t_(dram.timing),
      violations_(violations),
      ranks_(static_cast<std::size_t>(dram.ranks)) {}

void DataClockChecker::check(const CommandRecord& record) {
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

// "CAS command, WCK2CK synchronisation": a CAS must not start a running clock, nor replace an
// unused CAS.
void DataClockChecker::check_start(const CommandRecord& record, Rank& rank) {
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

// The read (write) must be the next command after its CAS, and its data must not start before WCK
// is ready. WCK is ready tWCKENL + tWCKPRE_Static + tWCKPRE_Toggle after the CAS; the data start RL
// (WL) after the read (write).
void DataClockChecker::check_column(const CommandRecord& record, Rank& rank) {
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

}  // namespace hmsim
