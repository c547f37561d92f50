// SPDX-License-Identifier: BSD-3-Clause
// Edited logs of clean runs: does the protocol checker name each error?
#include "tests/cc/check/edited_log.h"

namespace hmsim::testing {
namespace {

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

TEST(ProtocolChecker, NamesTheRulesThatAnEditedLogBreaks) { expect_edits(edits(), record({})); }

TEST(ProtocolChecker, NamesTheRulesThatALogWithoutGrantsBreaks) {
  const Assignments automatic{{"controller.ack", "auto"}, {"controller.ack_slots", "0"}};
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
  expect_edits(tried, record(automatic), automatic);
}

TEST(ProtocolChecker, NamesTheRulesThatFlushesBreak) {
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
  expect_edits(tried, record({}, 10));
}

TEST(ProtocolChecker, ReportsViolationsOfBlocks) {
  // Returns the first burst, after half of the log, of a request whose next burst is `ahead` later.
  const auto burst = [](const Log& log, std::size_t ahead) {
    std::size_t i = find(log, C::nvdimm_read);
    while (log[i].lines < 2 || log[i + ahead].request != log[i].request) {
      i = find(log, C::nvdimm_read, i + 1);
    }
    return i;
  };
  const auto command = [&](Log& log) -> CommandRecord& {
    return log[of_request(log, C::nvdimm_read_command, log[burst(log, 1)].request)];
  };
  const std::vector<Edit> tried{
      {"nothing", {}, [](Log&) {}},
      {"a line without burst",
       {"unfinished commands", "request without burst"},
       [&](Log& log) { erase(log, burst(log, 1)); }},
      {"a burst too many", {"burst without command"}, [&](Log& log) { --command(log).lines; }},
      {"a burst too few", {"unfinished commands"}, [&](Log& log) { ++command(log).lines; }},
      {"lines before their ack", {"burst without ack"}, [&](Log& log) {
         erase(log, of_request(log, C::nvdimm_ack, command(log).request));
       }}};
  const Assignments blocks{{"nvdimm.access", "block"}};
  expect_edits(tried, record(blocks), blocks);
  const Assignments automatic{{"nvdimm.access", "block"}, {"controller.ack", "auto"}};
  const std::vector<Edit> without_grants{
      {"nothing", {}, [](Log&) {}},
      {"bursts of two blocks mixed", {"burst within a block"}, [&](Log& log) {
         const std::size_t i = burst(log, 1);
         const std::size_t other = find(log, C::nvdimm_ack, i + 2);
         log[i + 1].request = log[other].request;
       }}};
  expect_edits(without_grants, record(automatic), automatic);
}

TEST(ProtocolChecker, NamesTheRulesThatWritesOnCreditBreak) {
  const Assignments on_credit{{"controller.ack", "nvdimm_p"}, {"controller.nvdimm_p.credits", "3"}};
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
  expect_edits(tried, record(on_credit), on_credit);
}

}  // namespace
}  // namespace hmsim::testing
