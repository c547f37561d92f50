// SPDX-License-Identifier: BSD-3-Clause
// Log of the violations that checkers found: the first few, and their number. Commands are
// identified by name, so that checkers of other devices' commands can use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controller/accounts/command_observer.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

std::string_view name_of(ChannelCommand command);

struct Violation {
  int channel = 0;
  Cycle cycle{0};
  std::string rule;
  std::string command;  // "" for something that did not happen
  int rank = -1;        // -1 where it does not apply; the same for the next two
  int bank = -1;
  std::int64_t request = -1;
  std::string earlier;  // command that the rule counts from, or ""
  Cycle earlier_cycle{0};
  // With an earlier command: cycles from it. Otherwise rows, counts or cycles, depending on the
  // rule.
  std::int64_t needed = 0;
  std::int64_t got = 0;

  std::string describe() const;
  void serialize(Archive& archive) {
    archive(channel, cycle, rule, command, rank, bank, request, earlier, earlier_cycle, needed,
            got);
  }
};

// Earlier command that a rule counts from.
struct Past {
  ChannelCommand command;
  std::int64_t cycle;
};

inline constexpr std::int64_t kLongPast = -(std::int64_t{1} << 60);  // a command never issued

class ViolationLog {
 public:
  void add(Violation violation);
  // Reports that the command itself breaks `rule`.
  void add(const char* rule, const CommandRecord& record, std::int64_t needed, std::int64_t got);

  // Reports a violation unless `record` comes at least `needed` cycles after `past`.
  void require(const char* rule, const CommandRecord& record, Past past, std::int64_t needed) {
    if (record.cycle.value() - past.cycle < needed) {
      add_early(rule, record, past, needed);
    }
  }

  std::int64_t total() const { return total_; }
  const std::vector<Violation>& first() const { return first_; }  // at most kKept, in order

  void serialize(Archive& archive) {
    archive(total_, first_);
    archive.check(total_ == 0 || !first_.empty(), "violations are miscounted");
  }

  static constexpr std::size_t kKept = 20;

 private:
  void add_early(const char* rule, const CommandRecord& record, Past past, std::int64_t needed);

  std::int64_t total_ = 0;
  std::vector<Violation> first_;
};

}  // namespace hmsim
