// SPDX-License-Identifier: BSD-3-Clause
#include "traces/cause_records.h"

#include <array>

namespace hmsim {

namespace {

constexpr std::uint64_t below(int bits) { return (std::uint64_t{1} << bits) - 1; }

// Bits that may be set in a record of each code, from EscapeCode::run on.
constexpr std::array<std::uint64_t, 10> kMayBeSet{
    below(18),                    // run
    below(16),                    // wake
    below(40),                    // alarm
    below(24),                    // bio
    0,                            // bio_end
    0,                            // fence
    below(33),                    // use
    below(17) | below(16) << 24,  // thread
    below(40),                    // name
    below(40),                    // written
};

}  // namespace

std::string wrong_escape(std::uint64_t word, bool causes) {
  const std::uint64_t code = record_high(word);
  const auto first = static_cast<std::uint64_t>(EscapeCode::run);
  if (code < first) {
    return "";
  }
  if (!causes || code > static_cast<std::uint64_t>(EscapeCode::last)) {
    return "unknown escape code " + std::to_string(code) + ", expected 0" +
           (causes ? " to 12" : ", 1 or 2");
  }
  if ((record_line(word) & ~kMayBeSet[code - first]) != 0) {
    return "a cause has bits outside its fields";
  }
  const CauseRecord record(word);
  switch (static_cast<EscapeCode>(code)) {
    case EscapeCode::run:
      return record.leave() > Leave::last ? "unknown reason for which a thread leaves its vCPU"
                                          : "";
    case EscapeCode::bio:
      return record.operation() > BioOperation::last ? "unknown operation of a bio" : "";
    case EscapeCode::wake:
    case EscapeCode::alarm:
    case EscapeCode::thread:
    case EscapeCode::name:
      return record.thread() == 0 ? "thread 0, the idle loop, is not allowed here" : "";
    default:
      return "";
  }
}

}  // namespace hmsim
