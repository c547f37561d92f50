// SPDX-License-Identifier: BSD-3-Clause
// Cause records in hmsim's own traces: which thread a vCPU runs, and what it waits for
// (docs/trace-format.md, "Causes").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/types.h"
#include "traces/record_columns.h"

namespace hmsim {

inline constexpr std::uint64_t kNvdimmLine = std::uint64_t{1}
                                             << (kRecordLineBits - 1);  // bit of a line

// Why a thread leaves its vCPU.
enum class Leave : std::uint8_t { goes_on, waits, ends, last = ends };

enum class BioOperation : std::uint8_t { read, write, flush, discard, last = discard };

// Decodes an escape record. Each accessor is valid only for records of its own code.
class CauseRecord {
 public:
  explicit constexpr CauseRecord(std::uint64_t word) : bits_(record_line(word)) {}

  constexpr std::uint16_t thread() const { return static_cast<std::uint16_t>(bits_); }
  constexpr Leave leave() const { return static_cast<Leave>(bits_ >> 16 & 3); }
  constexpr std::int64_t waited_us() const { return static_cast<std::int64_t>(bits_ >> 16); }
  constexpr std::uint64_t bio_pages() const { return bits_ & 0xFFFF; }
  constexpr BioOperation operation() const { return static_cast<BioOperation>(bits_ >> 16 & 7); }
  constexpr bool reads_ahead() const { return (bits_ >> 19 & 1) != 0; }
  constexpr bool flushes_first() const { return (bits_ >> 22 & 1) != 0; }
  constexpr std::uint64_t page() const { return bits_; }                     // of the NVDIMM
  constexpr std::uint64_t first_page() const { return bits_ & 0xFFF'FFFF; }  // of those written
  constexpr std::uint64_t last_page() const { return first_page() + (bits_ >> 28); }
  // Character `number` (0 to 2) of the three in a name record.
  constexpr char letter(unsigned number) const {
    return static_cast<char>(bits_ >> (16 + 8 * number));
  }

 private:
  std::uint64_t bits_;
};

// Returns the NVDIMM page that a data record writes, or nullopt if it writes none.
constexpr std::optional<std::uint64_t> page_written(std::uint64_t word) {
  const RecordKind kind = record_kind(word);
  const bool writes = kind == RecordKind::write_back || kind == RecordKind::non_temporal;
  if (!writes || (record_line(word) & kNvdimmLine) == 0) {
    return std::nullopt;
  }
  return (record_line(word) & ~kNvdimmLine) / static_cast<std::uint64_t>(kLinesPerPage);
}

// Returns the error of an invalid escape, or "" for a valid one. `causes`: whether the trace may
// contain cause records.
std::string wrong_escape(std::uint64_t word, bool causes);

}  // namespace hmsim
