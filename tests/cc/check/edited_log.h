// SPDX-License-Identifier: BSD-3-Clause
// Logs of clean runs, edits of them, and the rules that the protocol checker finds broken.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "check/protocol_checker.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {

using C = ChannelCommand;
using Log = std::vector<CommandRecord>;

inline constexpr int kIntervals = 40;  // of tREFI
inline constexpr std::int64_t kRefreshInterval = 600;

inline Assignments two_ranks(const Assignments& more) {
  return with({{"dram.ranks", "2"},
               {"dram.timing.tREFI", std::to_string(kRefreshInterval)},
               {"controller.queues", "split"},
               {"nvdimm.unmapped_read", "zero"},
               {"nvdimm.buffer.read_size", "256KiB"},
               {"nvdimm.buffer.write_size", "256KiB"}},
              more);
}

struct Recorded {
  Log log;
  Tick end;
};

inline Recorded record(const Assignments& more, std::uint64_t flushes = 0) {
  ChannelUnderTest channel(two_ranks(more));
  RandomTraffic traffic(channel, 5, flushes);
  Cycle now{0};
  while (now < Cycle(kIntervals * kRefreshInterval)) {
    traffic.burst();
    now += traffic.pause();
    channel.run_to(now);
  }
  channel.drain();
  EXPECT_TRUE(channel.channel_.idle());
  return {channel.log_, channel.kernel_.now()};
}

// Returns the rules that a log breaks, each once, in order of appearance.
inline std::vector<std::string> rules_broken(const Assignments& more, const Recorded& recorded) {
  ProtocolChecker checker(make_config(two_ranks(more)));
  for (const CommandRecord& command : recorded.log) {
    checker.on_command(command);
  }
  checker.finish(recorded.end, true);
  EXPECT_EQ(checker.commands(), static_cast<std::int64_t>(recorded.log.size()));
  std::vector<std::string> rules;
  for (const Violation& violation : checker.violations().first()) {
    if (std::find(rules.begin(), rules.end(), violation.rule) == rules.end()) {
      rules.push_back(violation.rule);
    }
  }
  return rules;
}

// Returns the index of the first such command after half of the log.
inline std::size_t find(const Log& log, C command, std::size_t from = 0) {
  for (std::size_t i = from == 0 ? log.size() / 2 : from; i < log.size(); ++i) {
    if (log[i].command == command) {
      return i;
    }
  }
  ADD_FAILURE() << "no such command in the log";
  return 0;
}

// Returns the index of the last such command before `to` on the same rank and, if it has one, bank.
inline std::size_t find_before(const Log& log, C command, std::size_t to) {
  for (std::size_t i = to; i-- > 0;) {
    if (log[i].command == command && log[i].rank == log[to].rank &&
        (log[to].bank < 0 || log[i].bank == log[to].bank)) {
      return i;
    }
  }
  ADD_FAILURE() << "no such command in the log";
  return 0;
}

// Returns the index of the request's first record of `command` in the log.
inline std::size_t of_request(const Log& log, C command, std::int64_t request) {
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i].command == command && log[i].request == request) {
      return i;
    }
  }
  ADD_FAILURE() << "no such command in the log";
  return 0;
}

inline void erase(Log& log, std::size_t index) {
  log.erase(log.begin() + static_cast<std::ptrdiff_t>(index));
}

// Moves the command to its new cycle, as the last of that cycle.
inline void move(Log& log, std::size_t index, Cycle cycle) {
  CommandRecord moved = log[index];
  moved.cycle = cycle;
  erase(log, index);
  const auto place =
      std::upper_bound(log.begin(), log.end(), moved,
                       [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
  log.insert(place, moved);
}

// Drops refreshes of rank 0 from the tenth on for which `chosen` holds.
inline void drop_refreshes(Log& log, const std::function<bool(int)>& chosen) {
  int seen = 0;
  const auto dropped = [&](const CommandRecord& command) {
    return command.command == C::refresh && command.rank == 0 && ++seen >= 10 && chosen(seen - 10);
  };
  log.erase(std::remove_if(log.begin(), log.end(), dropped), log.end());
}

struct Edit {
  const char* name;
  // Rules that must be reported; others may be too; empty: none may.
  std::vector<const char*> rules;
  std::function<void(Log&)> edit;
  Assignments replayed = {};  // instead of the recorded configuration, unless empty
};

inline bool contains(const std::vector<std::string>& rules, const std::string& rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

inline void expect_rules(const Edit& edit, const std::vector<std::string>& broken) {
  EXPECT_EQ(broken.empty(), edit.rules.empty()) << (broken.empty() ? "" : broken.front());
  for (const char* rule : edit.rules) {
    EXPECT_TRUE(contains(broken, rule)) << rule;
  }
}

// Expects the rules of each edit of a clean log that was recorded with these assignments.
inline void expect_edits(const std::vector<Edit>& edits, const Recorded& clean,
                         const Assignments& recorded = {}) {
  for (const Edit& edit : edits) {
    SCOPED_TRACE(edit.name);
    Recorded edited = clean;
    edit.edit(edited.log);
    expect_rules(edit, rules_broken(edit.replayed.empty() ? recorded : edit.replayed, edited));
  }
}

}  // namespace hmsim::testing
