// SPDX-License-Identifier: BSD-3-Clause
// Edited logs of clean runs: does the protocol checker name each error? One file, because all edits
// are in tables that the same few functions process.
#include "check/protocol_checker.h"

#include <algorithm>
#include <functional>

#include "controller/accounts/observer_list.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

using C = ChannelCommand;
using Log = std::vector<CommandRecord>;

constexpr int kIntervals = 40;  // of tREFI
constexpr std::int64_t kRefreshInterval = 600;

Assignments two_ranks(const Assignments& more) {
  Assignments all{{"dram.ranks", "2"},
                  {"dram.timing.tREFI", std::to_string(kRefreshInterval)},
                  {"controller.queues", "split"},
                  {"nvdimm.unmapped_read", "zero"},
                  {"nvdimm.buffer.read_size", "256KiB"},
                  {"nvdimm.buffer.write_size", "256KiB"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

struct Recorded {
  Log log;
  Tick end;
};

Recorded record(const Assignments& more, std::uint64_t flushes = 0) {
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
std::vector<std::string> rules_broken(const Assignments& more, const Recorded& recorded) {
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
std::size_t find(const Log& log, C command, std::size_t from = 0) {
  for (std::size_t i = from == 0 ? log.size() / 2 : from; i < log.size(); ++i) {
    if (log[i].command == command) {
      return i;
    }
  }
  ADD_FAILURE() << "no such command in the log";
  return 0;
}

// Returns the index of the last such command before `to` on the same rank and, if it has one, bank.
std::size_t find_before(const Log& log, C command, std::size_t to) {
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
std::size_t of_request(const Log& log, C command, std::int64_t request) {
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i].command == command && log[i].request == request) {
      return i;
    }
  }
  ADD_FAILURE() << "no such command in the log";
  return 0;
}

void erase(Log& log, std::size_t index) {
  log.erase(log.begin() + static_cast<std::ptrdiff_t>(index));
}

// Moves the command to its new cycle, as the last of that cycle.
void move(Log& log, std::size_t index, Cycle cycle) {
  CommandRecord moved = log[index];
  moved.cycle = cycle;
  erase(log, index);
  const auto place =
      std::upper_bound(log.begin(), log.end(), moved,
                       [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
  log.insert(place, moved);
}

// Drops refreshes of rank 0 from the tenth on for which `chosen` holds.
void drop_refreshes(Log& log, const std::function<bool(int)>& chosen) {
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
  Assignments replayed = {};  // overrides of the recorded configuration
};

std::vector<Edit> edits() {
  return {
      {"nothing", {}, [](Log&) {}},
      {"eight refreshes postponed",
       {},
       [](Log& log) { drop_refreshes(log, [](int n) { return n < 8; }); }},
      {"nine refreshes skipped",
       {"refresh interval"},
       [](Log& log) { drop_refreshes(log, [](int n) { return n < 9; }); }},
      {"every other refresh skipped",
       {"refresh count"},
       [](Log& log) { drop_refreshes(log, [](int n) { return n % 2 == 0; }); }},
      {"no refresh at all",
       {"refresh interval", "refresh count"},
       [](Log& log) {
         log.erase(std::remove_if(log.begin(), log.end(),
                                  [](const auto& c) { return c.command == C::refresh; }),
                   log.end());
       }},
      {"a refresh while a bank is open",
       {"refresh of open bank"},
       [](Log& log) { erase(log, find_before(log, C::precharge, find(log, C::refresh))); }},
      {"a second row in an open bank",
       {"bank is open"},
       [](Log& log) {
         std::size_t i = find(log, C::precharge);
         while (log[i].request < 0) {  // a precharge for a refresh
           i = find(log, C::precharge, i + 1);
         }
         erase(log, i);
       }},
      {"a row closed twice",
       {"bank is closed"},
       [](Log& log) {
         const std::size_t i = find(log, C::precharge);
         log.insert(log.begin() + static_cast<std::ptrdiff_t>(i), log[i]);
         log[i].cycle -= Cycle(1);
       }},
      {"the wrong row", {"row"}, [](Log& log) { ++log[find(log, C::read)].row; }},
      {"a row never opened", {"row"}, [](Log& log) { erase(log, find(log, C::activate)); }},
      {"two commands on an edge",
       {"command bus"},
       [](Log& log) {
         log[find(log, C::nvdimm_read_command) + 1].cycle =
             log[find(log, C::nvdimm_read_command)].cycle;
       }},
      {"back in time",
       {"command order"},
       [](Log& log) { log[find(log, C::nvdimm_write_command)].cycle = Cycle(1); }},
      {"a bank that does not exist", {"place"}, [](Log& log) { log[find(log, C::read)].bank = 8; }},
      {"a rank that does not exist", {"place"}, [](Log& log) { log[find(log, C::read)].rank = 2; }},
      {"a line read twice",
       {"one burst a request"},
       [](Log& log) {
         const std::size_t i = find(log, C::read);
         CommandRecord again = log[i];
         log.push_back(again);
       }},
      {"a line never read",
       {"request without burst"},
       [](Log& log) { erase(log, find(log, C::read)); }},
      {"a line never granted",
       {"unfinished commands", "request without burst"},
       [](Log& log) { erase(log, find(log, C::nvdimm_read)); }},
      {"bursts that overlap",
       {"data bus"},
       [](Log& log) {
         std::size_t i = find(log, C::nvdimm_read);
         while (log[i + 1].command != C::nvdimm_read || log[i + 2].command == C::refresh) {
           i = find(log, C::nvdimm_read, i + 1);
         }
         log[i + 1].cycle = log[i].cycle + Cycle(3);
       }},
      {"a command sent twice",
       {"command sent twice"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_read_command);
         log.insert(log.begin() + static_cast<std::ptrdiff_t>(i) + 1, log[i]);
         log[i + 1].cycle = log[i].cycle;
       }},
      {"an ack twice",
       {"acknowledged twice"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_ack);
         log.insert(log.begin() + static_cast<std::ptrdiff_t>(i) + 1, log[i]);
         log[i + 1].cycle = log[i].cycle;
       }},
      {"an ack without its command",
       {"ack without command", "burst without command"},
       [](Log& log) { erase(log, find(log, C::nvdimm_read_command)); }},
      {"a grant without an ack",
       {"burst without ack"},
       [](Log& log) {
         erase(log, of_request(log, C::nvdimm_ack, log[find(log, C::nvdimm_read)].request));
       }},
      {"a grant on its ack's edge",
       {"grant after ack"},
       [](Log& log) {
         std::size_t i = find(log, C::nvdimm_read);
         move(log, of_request(log, C::nvdimm_ack, log[i].request), log[i].cycle);
         i = of_request(log, C::nvdimm_read, log[i].request);
         std::swap(log[i], log[i + 1]);
       }},
      {"data the other way",
       {"direction"},
       [](Log& log) {
         CommandRecord& last = *std::find_if(
             log.rbegin(), log.rend(), [](const auto& c) { return c.command == C::nvdimm_read; });
         last.command = C::nvdimm_write;
       }},
      {"an ack before the lookup is over",
       {"lookup"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_ack);
         const auto request = log[i].request;
         std::size_t command = 0;
         while (log[command].request != request) {
           ++command;
         }
         move(log, i, log[command].cycle + Cycle(42));  // 43 at the earliest
       }},
      {"lookups side by side at a serial port",
       {"lookup"},
       [](Log&) {},
       {{"nvdimm.buffer.port", "serial"}}},
      {"more commands than may be outstanding",
       {"outstanding commands"},
       [](Log&) {},
       {{"controller.outstanding", "2"}}},
  };
}

bool contains(const std::vector<std::string>& rules, const std::string& rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

void expect_rules(const Edit& edit, const std::vector<std::string>& broken) {
  EXPECT_EQ(broken.empty(), edit.rules.empty()) << (broken.empty() ? "" : broken.front());
  for (const char* rule : edit.rules) {
    EXPECT_TRUE(contains(broken, rule)) << rule;
  }
}

TEST(ProtocolChecker, NamesWhatIsWrongWithAnEditedLog) {
  const Recorded clean = record({});
  for (const Edit& edit : edits()) {
    SCOPED_TRACE(edit.name);
    Recorded edited = clean;
    edit.edit(edited.log);
    expect_rules(edit, rules_broken(edit.replayed, edited));
  }
}

TEST(ProtocolChecker, NamesWhatIsWrongWithoutGrants) {
  const Assignments automatic{{"controller.ack", "auto"}, {"controller.ack_slots", "0"}};
  const Recorded clean = record(automatic);
  const std::vector<Edit> tried{{"nothing", {}, [](Log&) {}},
                                {"data later than the ack",
                                 {"burst with ack"},
                                 [](Log& log) {
                                   const std::size_t i = find(log, C::nvdimm_read);
                                   log[i].cycle += Cycle(1);
                                 }},
                                {"two acks on an edge",
                                 {"ack line"},
                                 [](Log& log) {
                                   const std::size_t i = find(log, C::nvdimm_ack);
                                   const std::size_t next = find(log, C::nvdimm_ack, i + 1);
                                   log[next].cycle = log[i].cycle;
                                 }},
                                {"slots for acks",
                                 {"command bus"},
                                 [](Log&) {},
                                 {{"controller.ack", "auto"}, {"controller.ack_slots", "1"}}}};
  for (const Edit& edit : tried) {
    SCOPED_TRACE(edit.name);
    Recorded edited = clean;
    edit.edit(edited.log);
    expect_rules(edit, rules_broken(edit.replayed.empty() ? automatic : edit.replayed, edited));
  }
}

TEST(ProtocolChecker, NamesWhatIsWrongWithFlushes) {
  const Recorded clean = record({}, 10);
  // The flush and the next (+1) or previous (-1) NVDIMM request swap places.
  const auto change_places = [](Log& log, int step) {
    std::size_t i = find(log, C::nvdimm_flush_command);
    const std::int64_t flush = log[i].request;
    while (log[i].command != C::nvdimm_read && log[i].command != C::nvdimm_write) {
      i += static_cast<std::size_t>(step);
    }
    const std::int64_t other = log[i].request;
    for (CommandRecord& command : log) {
      command.request = command.request == flush   ? other
                        : command.request == other ? flush
                                                   : command.request;
    }
  };
  const std::vector<Edit> tried{
      {"nothing", {}, [](Log&) {}},
      {"a flush before older requests are done",
       {"flush before the end of others"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_flush_command);
         std::size_t last = i;
         while (log[last].command != C::nvdimm_read && log[last].command != C::nvdimm_write) {
           --last;
         }
         move(log, i, log[last].cycle - Cycle(1));
       }},
      {"a flush that a younger request overtook",
       {"flush overtaken"},
       [&](Log& log) { change_places(log, -1); }},
      {"a flush that overtook an older request",
       {"older than the flush before"},
       [&](Log& log) { change_places(log, 1); }},
      {"a command before the flush is acknowledged",
       {"command during a flush"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_flush_command);
         std::size_t next = i + 1;
         while (log[next].command != C::nvdimm_read_command &&
                log[next].command != C::nvdimm_write_command) {
           ++next;
         }
         move(log, next, log[i].cycle + Cycle(2));
       }},
      {"a flush without its ack",
       {"command during a flush", "unfinished commands"},
       [](Log& log) {
         const std::int64_t flush = log[find(log, C::nvdimm_flush_command)].request;
         erase(log, of_request(log, C::nvdimm_ack, flush));
       }},
      {"a flush that never was", {"ack without command", "request without burst"}, [](Log& log) {
         erase(log, find(log, C::nvdimm_flush_command));
       }}};
  for (const Edit& edit : tried) {
    SCOPED_TRACE(edit.name);
    Recorded edited = clean;
    edit.edit(edited.log);
    expect_rules(edit, rules_broken({}, edited));
  }
}

TEST(ProtocolChecker, NamesWhatIsWrongWithWritesOnCredit) {
  const Assignments on_credit{{"controller.ack", "nvdimm_p"}, {"controller.nvdimm_p.credits", "3"}};
  const Recorded clean = record(on_credit);
  const std::vector<Edit> tried{
      {"nothing", {}, [](Log&) {}},
      {"a credit too few",
       {"write without credit"},
       [](Log&) {},
       {on_credit[0], {"controller.nvdimm_p.credits", "2"}}},
      {"responses that take longer",
       {"grant after ack"},
       [](Log&) {},
       {on_credit[0], on_credit[1], {"controller.nvdimm_p.response_cycles", "2"}}},
      {"a credit before the lookup",
       {"lookup"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_credit);
         move(log, i, log[find_before(log, C::nvdimm_write, i)].cycle + Cycle(20));
       }},
      {"a credit of nobody's",
       {"credit without write"},
       [](Log& log) {
         const auto last = std::find_if(log.rbegin(), log.rend(), [](const auto& command) {
           return command.command == C::nvdimm_credit;
         });
         CommandRecord again = *last;
         again.cycle = log.back().cycle + Cycle(1);
         log.push_back(again);
       }},
      {"two responses on an edge",
       {"ack line"},
       [](Log& log) {
         const std::size_t i = find(log, C::nvdimm_credit);
         log[find(log, C::nvdimm_ack, i + 1)].cycle = log[i].cycle;
       }},
      {"a command for a write",
       {"command for a write"},
       [](Log& log) { log[find(log, C::nvdimm_read_command)].command = C::nvdimm_write_command; }},
      {"a credit where there are none",
       {"credit without write"},
       [](Log&) {},
       {{"controller.ack", "grant"}}}};
  for (const Edit& edit : tried) {
    SCOPED_TRACE(edit.name);
    Recorded edited = clean;
    edit.edit(edited.log);
    expect_rules(edit, rules_broken(edit.replayed.empty() ? on_credit : edit.replayed, edited));
  }
}

// Eight postponed refreshes, one due and eight in advance: one too many for the time, but not for
// the count.
TEST(ProtocolChecker, AtMostSixteenRefreshesInTwoIntervals) {
  ProtocolChecker checker(make_config(two_ranks({{"dram.timing.tRFC", "20"}})));
  for (int i = 0; i < 17; ++i) {
    EXPECT_EQ(checker.violations().total(), 0) << i;
    checker.on_command({Cycle(8 * kRefreshInterval + 20 * i), C::refresh, 0, 0, -1, -1, -1});
  }
  ASSERT_EQ(checker.violations().total(), 1);
  const Violation& found = checker.violations().first().front();
  EXPECT_EQ(found.rule, "refresh window");
  EXPECT_EQ(found.needed, 2 * kRefreshInterval);
  EXPECT_EQ(found.got, 16 * 20);
}

// Checks a log with only same-bank refreshes, of 4 bank numbers in tREFI / 2 = 4000 cycles.
std::vector<std::string> same_bank_rules_broken(const Log& log, Cycle end,
                                                const char* mode = "same_bank") {
  ProtocolChecker checker(make_config({{"nvdimm.present", "false"},
                                       {"dram.preset", "ddr5_4800b_16gb_x8"},
                                       {"dram.timing.tREFI", "8000"},
                                       {"dram.refresh_mode", mode}}));
  for (const CommandRecord& command : log) {
    checker.on_command(command);
  }
  checker.finish(end.value() * Tick(416), true);
  std::vector<std::string> rules;
  for (const Violation& violation : checker.violations().first()) {
    rules.push_back(violation.rule);
  }
  return rules;
}

TEST(ProtocolChecker, SameBankRefreshesOfEachNumberInTurn) {
  using Rules = std::vector<std::string>;
  Log log;
  for (int i = 0; i < 80; ++i) {
    log.push_back({Cycle(1000 * (i + 1)), C::refresh_same_bank, 0, 0, i % 4, -1, -1});
  }
  const Cycle end(80'000);
  EXPECT_EQ(same_bank_rules_broken(log, end), Rules{});
  Log twice = log;
  std::swap(twice[41].bank, twice[44].bank);  // 0 1 2 3 | 0 0 2 3 | 1 1 2 3
  EXPECT_EQ(same_bank_rules_broken(twice, end), Rules{"refresh order"});
  Log none = log;  // for ten rounds
  none.erase(none.begin() + 20, none.begin() + 60);
  const Rules found = same_bank_rules_broken(none, end);
  EXPECT_FALSE(contains(found, "refresh order"));
  EXPECT_TRUE(contains(found, "refresh interval"));
  EXPECT_TRUE(contains(found, "refresh count"));
  EXPECT_TRUE(contains(same_bank_rules_broken(log, end, "all_bank"), "refresh mode"));
  Log whole = log;
  whole.push_back({end + Cycle(1000), C::refresh, 0, 0, -1, -1, -1});
  EXPECT_EQ(same_bank_rules_broken(whole, end + Cycle(1000)), Rules{"refresh mode"});
}

TEST(ProtocolChecker, KeepsTheFirstAndCountsAll) {
  Recorded recorded = record({});
  for (CommandRecord& command : recorded.log) {
    command.row += command.command == C::read ? 1 : 0;
  }
  ProtocolChecker checker(make_config(two_ranks({})));
  EXPECT_NO_THROW(checker.raise_if_violated());
  std::int64_t reads = 0;
  for (const CommandRecord& command : recorded.log) {
    checker.on_command(command);
    reads += command.command == C::read ? 1 : 0;
  }
  EXPECT_EQ(checker.violations().total(), reads);
  EXPECT_EQ(checker.violations().first().size(), ViolationLog::kKept);
  try {
    checker.raise_if_violated();
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    const std::string text = fault.what();
    EXPECT_NE(text.find(checker.violations().first().front().describe()), std::string::npos);
    EXPECT_NE(text.find("the first of " + std::to_string(reads)), std::string::npos) << text;
  }
}

TEST(Violation, DescribesItself) {
  Violation violation{0, Cycle(39), "tRCD", "read", 1, 2, 7, "activate", Cycle(29), 11, 10};
  EXPECT_EQ(violation.describe(),
            "channel 0, rank 1, bank 2, request 7, cycle 39: read: tRCD: needed 11, got 10 cycles "
            "after activate in cycle 29");
  violation = {1, Cycle(5), "refresh count", "", 0, -1, -1, "", Cycle(0), 9, 0};
  EXPECT_EQ(violation.describe(), "channel 1, rank 0, cycle 5: refresh count: needed 9, got 0");
}

TEST(ObserverList, TellsAll) {
  struct Counter final : CommandObserver {
    void on_command(const CommandRecord&) override { ++count; }
    int count = 0;
  };
  ObserverList list;
  EXPECT_EQ(list.target(), nullptr);
  Counter one;
  list.add(one);
  EXPECT_EQ(list.target(), &one);
  Counter other;
  list.add(other);
  list.target()->on_command({});
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(other.count, 1);
}

}  // namespace
}  // namespace hmsim::testing
