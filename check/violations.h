// SPDX-License-Identifier: BSD-3-Clause
// Log of violations found by checkers: the first few, and the total. Commands are stored by name,
// so that checkers of other devices' commands can use the log, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/accounts/command_observer.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

const char* name_of(ChannelCommand command);

// One broken rule.
struct Violation {
  int channel = 0;
  Cycle cycle{0};
  std::string rule;
  std::string command;  // "": an expected event is missing
  int rank = -1;        // -1: not applicable (also for the next two)
  int bank = -1;
  std::int64_t request = -1;
  // With an earlier command: cycles from it. Otherwise rows, counts or cycles, depending on the
  // rule.
  std::int64_t needed = 0;
  std::int64_t got = 0;
  std::string earlier = {};  // the command that the rule counts from, or ""
  Cycle earlier_cycle{0};

  std::string describe() const;
  void serialize(Archive& archive) {
    archive(channel, cycle, rule, command, rank, bank, request, earlier, earlier_cycle, needed,
            got);
  }
};

// A command that a rule counts from.
struct EarlierCommand {
  ChannelCommand command;
  std::int64_t cycle;
};

inline constexpr std::int64_t kLongPast = -(std::int64_t{1} << 60);  // a command never issued

// The first violations, and the number of all.
class ViolationLog {
 public:
  void add(Violation violation);
  // Adds a violation of `rule` by the command itself.
  void add(const char* rule, const CommandRecord& record, std::int64_t needed, std::int64_t got);

  // Requires `record` to come at least `needed` cycles after `past`.
  void require(const char* rule, const CommandRecord& record, EarlierCommand past,
               std::int64_t needed) {
    if (record.cycle.value() - past.cycle < needed) {
      add_early(rule, record, past, needed);
    }
  }

  std::int64_t total() const { return total_; }
  const std::vector<Violation>& first() const { return first_; }  // at most kKept, in order

  void serialize(Archive& archive) {
    archive(total_, first_);
    archive.check(total_ == 0 || !first_.empty(), "wrong count of violations");
  }

  static constexpr std::size_t kKept = 20;

 private:
  void add_early(const char* rule, const CommandRecord& record, EarlierCommand past,
                 std::int64_t needed);

  std::int64_t total_ = 0;
  std::vector<Violation> first_;
};

}  // namespace hmsim
