// SPDX-License-Identifier: BSD-3-Clause
// Encodings of records in hmsim's own traces: as 8-byte words, and as the columns of a block
// (tables in docs/trace-format.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hmsim {

enum class RecordKind : std::uint8_t { fill, write_back, non_temporal, escape };
// Codes from `run` on are cause records (traces/cause_records.h).
enum class EscapeCode : std::uint8_t {
  add_instructions,
  region_begin,
  region_end,
  run,
  wake,
  alarm,
  bio,
  bio_end,
  fence,
  use,
  thread,
  name,
  written,
  last = written
};

inline constexpr int kRecordLineBits = 40;
inline constexpr unsigned kRecordVcpus = 8;
inline constexpr std::size_t kColumnBytes = 9;  // of a record in columns

// A word: bits 0-39 line, 40-41 kind, 42-44 vCPU, 45-63 instructions or an escape's code.
constexpr std::uint64_t record_line(std::uint64_t word) {
  return word & ((std::uint64_t{1} << kRecordLineBits) - 1);
}
constexpr RecordKind record_kind(std::uint64_t word) {
  return static_cast<RecordKind>(word >> kRecordLineBits & 3);
}
constexpr unsigned record_vcpu(std::uint64_t word) {
  return static_cast<unsigned>(word >> 42 & (kRecordVcpus - 1));
}
constexpr std::uint64_t record_high(std::uint64_t word) { return word >> 45; }
// Returns the number of instructions that the record adds to its vCPU.
constexpr std::uint64_t record_instructions(std::uint64_t word) {
  if (record_kind(word) != RecordKind::escape) {
    return record_high(word);
  }
  return record_high(word) == 0 ? record_line(word) : 0;
}

// Packs words into the columns of a block: kColumnBytes per word.
std::string pack_records(const std::vector<std::uint64_t>& words);

// Totals over the records of a block, by vCPU.
struct RecordSums {
  std::array<std::uint64_t, kRecordVcpus> records{};
  std::array<std::uint64_t, kRecordVcpus> instructions{};  // without those of escapes
  std::uint64_t escapes = 0;                               // of all vCPUs
};

// Unpacks the columns of a block, kColumnBytes x records, into words. Throws InputError, without a
// file name, if the columns are invalid.
RecordSums unpack_records(std::string_view columns, std::vector<std::uint64_t>& words);

}  // namespace hmsim
