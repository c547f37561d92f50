// SPDX-License-Identifier: BSD-3-Clause
// Sums over successive DRAM records of a trace with causes. A thread whose DRAM accesses are not
// simulated passes over a part of the trace by its sums, without reading the records.
//
// A part holds DRAM records of one vCPU, between two records at which such a thread stops: accesses
// to the NVDIMM and causes. Short stretches have no part. Long ones have several, so that few
// records are read where a thread stops within a part.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "traces/cause_records.h"
#include "traces/record_columns.h"

namespace hmsim {

// Instructions and loads of DRAM of a record.
struct SkippedRecord {
  std::int64_t instructions = 0;
  std::int64_t loads = 0;
};

// Returns what a DRAM record adds, or nullopt for a record that is not one. If one instruction
// loads two lines, each of them counts as an instruction.
inline std::optional<SkippedRecord> skipped_record(std::uint64_t word) {
  if (record_kind(word) == RecordKind::escape) {
    const bool adds = record_high(word) == static_cast<std::uint64_t>(EscapeCode::add_instructions);
    return adds ? std::optional(SkippedRecord{static_cast<std::int64_t>(record_line(word)), 0})
                : std::nullopt;
  }
  if ((record_line(word) & kNvdimmLine) != 0) {
    return std::nullopt;
  }
  const auto instructions = static_cast<std::int64_t>(record_high(word));
  const bool load = record_kind(word) == RecordKind::fill;
  return SkippedRecord{load ? std::max<std::int64_t>(1, instructions) : instructions, load ? 1 : 0};
}

class StretchSums {
 public:
  struct Part {
    std::uint64_t first = 0;  // number of its first record
    std::uint64_t last = 0;   // one past its last record
    std::int64_t instructions = 0;
    std::int64_t loads = 0;
  };
  using Parts = std::vector<Part>;  // in order of their records

  // Adds the next record of the trace.
  void add(std::uint64_t record, std::uint64_t word);
  const Parts& parts(unsigned vcpu) const { return vcpus_[vcpu].parts; }
  // Returns the vCPU's first part that begins at the record or after it, or the end of its parts.
  Parts::const_iterator at_or_after(unsigned vcpu, std::uint64_t record) const;

 private:
  static constexpr std::uint64_t kFewest = 32;  // records of a part
  static constexpr std::uint64_t kMost = 256;

  struct Vcpu {
    Parts parts;
    Part open;
    std::uint64_t records = 0;  // of the open part
  };

  std::array<Vcpu, kRecordVcpus> vcpus_;
};

}  // namespace hmsim
