// SPDX-License-Identifier: BSD-3-Clause
#include "traces/record_columns.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr int kKinds = 4;
constexpr int kPlanes =
    8;  // bytes of a record but its tag: 5 of its line's code, 3 of its high part
constexpr int kLowBits = 39;  // of a line; its top bit, the memory's, stands in the tag
constexpr int kHighShift = 40;
constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLowBits) - 1;
constexpr std::uint64_t kUnused = ~(kLowMask | std::uint64_t{(1 << 19) - 1} << kHighShift);

// A tag: bits 0-1 kind, 2-4 vCPU, 5 top bit of the line.
constexpr unsigned kTags = 64;

constexpr unsigned tag_of(std::uint64_t word) {
  return static_cast<unsigned>(word >> 40 & 0x1F) | static_cast<unsigned>(word >> 39 & 1) << 5;
}

// Maps differences modulo 2^39 to numbers, small ones of either sign to small numbers.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  const std::uint64_t sign = difference >> (kLowBits - 1) & 1;
  return (difference << 1 ^ (0 - sign)) & kLowMask;
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

// Codes lines against earlier ones. A write-back's line shares its low bits with the fill that
// evicted it, for both are of one set; other lines follow those of their kind, vCPU and memory.
class Neighbours {
 public:
  std::uint64_t code(unsigned tag, std::uint64_t low) {
    switch (static_cast<RecordKind>(tag & 3)) {
      case RecordKind::write_back:
        return low ^ fill_[tag >> 2 & 7];
      case RecordKind::escape:
        return low;
      default:
        const std::uint64_t found = zigzag((low - last_[tag]) & kLowMask);
        pass(tag, low);
        return found;
    }
  }

  std::uint64_t low(unsigned tag, std::uint64_t code) {
    switch (static_cast<RecordKind>(tag & 3)) {
      case RecordKind::write_back:
        return code ^ fill_[tag >> 2 & 7];
      case RecordKind::escape:
        return code;
      default:
        const std::uint64_t found = (last_[tag] + unzigzag(code)) & kLowMask;
        pass(tag, found);
        return found;
    }
  }

 private:
  void pass(unsigned tag, std::uint64_t low) {
    last_[tag] = low;
    if (static_cast<RecordKind>(tag & 3) == RecordKind::fill) {
      fill_[tag >> 2 & 7] = low;
    }
  }

  std::array<std::uint64_t, kTags> last_{};
  std::array<std::uint64_t, kRecordVcpus> fill_{};
};

using Counts = std::array<std::size_t, kKinds>;

// Returns where the planes of each kind begin, behind a tag for each record.
Counts plane_starts(const Counts& counts, std::size_t records) {
  Counts starts{};
  std::size_t start = records;
  for (int kind = 0; kind < kKinds; ++kind) {
    starts[kind] = start;
    start += counts[kind] * kPlanes;
  }
  return starts;
}

// The records of each kind, given the tag of each.
Counts count_kinds(const unsigned char* tags, std::size_t records) {
  std::array<std::size_t, 256> found{};
  for (std::size_t i = 0; i < records; ++i) {
    ++found[tags[i]];
  }
  Counts counts{};
  for (unsigned tag = 0; tag < kTags; ++tag) {
    counts[tag & 3] += found[tag];
  }
  if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) != records) {
    const unsigned char* const wrong =
        std::find_if(tags, tags + records, [](unsigned char tag) { return tag >= kTags; });
    throw InputError("record " + std::to_string(wrong - tags + 1) + " has the tag " +
                     std::to_string(*wrong));
  }
  return counts;
}

// The number of eight bytes, the lowest first. (In this form compilers make it one load.)
constexpr std::uint64_t little_endian(const unsigned char* bytes) {
  return std::uint64_t{bytes[0]} | std::uint64_t{bytes[1]} << 8 | std::uint64_t{bytes[2]} << 16 |
         std::uint64_t{bytes[3]} << 24 | std::uint64_t{bytes[4]} << 32 |
         std::uint64_t{bytes[5]} << 40 | std::uint64_t{bytes[6]} << 48 |
         std::uint64_t{bytes[7]} << 56;
}

// Exchanges what lies `shift` bits up in `low` for what lies in `high` where `mask` has bits.
constexpr void exchange(std::uint64_t& low, std::uint64_t& high, int shift, std::uint64_t mask) {
  const std::uint64_t differs = (low >> shift ^ high) & mask;
  high ^= differs;
  low ^= differs << shift;
}

// Transposes eight rows of eight bytes, the first byte of a row being its lowest: halves of rows
// change places, then quarters, then bytes.
constexpr void transpose(std::array<std::uint64_t, kPlanes>& rows) {
  for (int row = 0; row < 4; ++row) {
    exchange(rows[row], rows[row + 4], 32, 0x00000000FFFFFFFF);
  }
  for (const int row : {0, 1, 4, 5}) {
    exchange(rows[row], rows[row + 2], 16, 0x0000FFFF0000FFFF);
  }
  for (const int row : {0, 2, 4, 6}) {
    exchange(rows[row], rows[row + 1], 8, 0x00FF00FF00FF00FF);
  }
}

// Makes numbers of their bytes, of which each plane holds those of one significance, the lowest
// first; returns the bits that any of them has.
std::uint64_t join_planes(const unsigned char* planes, std::size_t count, std::uint64_t* numbers) {
  std::uint64_t all = 0;
  std::size_t i = 0;
  for (; i + kPlanes <= count; i += kPlanes) {
    std::array<std::uint64_t, kPlanes> rows;
    for (int plane = 0; plane < kPlanes; ++plane) {
      rows[plane] = little_endian(planes + static_cast<std::size_t>(plane) * count + i);
    }
    transpose(rows);
    for (int at = 0; at < kPlanes; ++at) {
      numbers[i + static_cast<std::size_t>(at)] = rows[at];
      all |= rows[at];
    }
  }
  for (; i < count; ++i) {
    std::uint64_t number = 0;
    for (int plane = 0; plane < kPlanes; ++plane) {
      number |= std::uint64_t{planes[static_cast<std::size_t>(plane) * count + i]} << (8 * plane);
    }
    numbers[i] = number;
    all |= number;
  }
  return all;
}

}  // namespace

std::string pack_records(const std::vector<std::uint64_t>& words) {
  Counts counts{};
  for (const std::uint64_t word : words) {
    ++counts[word >> kRecordLineBits & 3];
  }
  Counts at = plane_starts(counts, words.size());
  std::string columns(words.size() * kColumnBytes, '\0');
  Neighbours neighbours;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const unsigned tag = tag_of(words[i]);
    const std::uint64_t bytes = neighbours.code(tag, words[i] & kLowMask) | record_high(words[i])
                                                                                << kHighShift;
    columns[i] = static_cast<char>(tag);
    std::size_t place = at[tag & 3]++;
    for (int plane = 0; plane < kPlanes; ++plane, place += counts[tag & 3]) {
      columns[place] = static_cast<char>(bytes >> (8 * plane));
    }
  }
  return columns;
}

void unpack_records(std::string_view columns, std::vector<std::uint64_t>& words) {
  const std::size_t records = columns.size() / kColumnBytes;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(columns.data());
  const Counts counts = count_kinds(bytes, records);
  // The planes of a kind become numbers of 8 bytes, all kinds in one list; `next` goes over it.
  const Counts starts = plane_starts(counts, records);
  // (Memory as it comes: all of it is written.)
  const std::unique_ptr<std::uint64_t[]> numbers(new std::uint64_t[records]);
  Counts next{};
  std::size_t filled = 0;
  std::uint64_t all = 0;
  for (int kind = 0; kind < kKinds; ++kind) {
    next[kind] = filled;
    all |= join_planes(bytes + starts[kind], counts[kind], numbers.get() + filled);
    filled += counts[kind];
  }
  if ((all & kUnused) != 0) {
    throw InputError("a record has more bits than its fields");
  }
  words.resize(records);
  Neighbours neighbours;
  for (std::size_t i = 0; i < records; ++i) {
    const unsigned tag = bytes[i];
    const std::uint64_t number = numbers[next[tag & 3]++];
    const std::uint64_t top = std::uint64_t{tag} >> 5 << kLowBits;
    words[i] = neighbours.low(tag, number & kLowMask) | top |
               std::uint64_t{tag & 0x1F} << kRecordLineBits | (number >> kHighShift) << 45;
  }
}

}  // namespace hmsim
