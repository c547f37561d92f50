// SPDX-License-Identifier: BSD-3-Clause
#include "traces/record_columns.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr int kKinds = 4;
constexpr int kPlanes =
    8;  // |bytes of a record without its tag: 5 of its line's code, 3 of its high part
constexpr int kLowBits = 39;  // of a line; its top bit, which selects the memory, is in the tag
constexpr int kHighShift = 40;
constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLowBits) - 1;
constexpr std::uint64_t kUnused = ~(kLowMask | std::uint64_t{(1 << 19) - 1} << kHighShift);

// A tag: bits 0-1 kind, 2-4 vCPU, 5 top bit of the line.
constexpr unsigned kTags = 64;

constexpr unsigned tag_of(std::uint64_t word) {
  return static_cast<unsigned>(word >> 40 & 0x1F) | static_cast<unsigned>(word >> 39 & 1) << 5;
}

// Maps differences modulo 2^39 to numbers; small differences of either sign become small numbers.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  const std::uint64_t sign = difference >> (kLowBits - 1) & 1;
  return (difference << 1 ^ (0 - sign)) & kLowMask;
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

// Encodes lines relative to earlier ones. A write-back's line shares its low bits with the fill
// that evicted it, because both map to the same set. Other lines are relative to the previous line
// of their kind, vCPU and memory.
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

// Returns where the planes of each kind begin. One tag per record precedes them.
Counts plane_starts(const Counts& counts, std::size_t records) {
  Counts starts{};
  std::size_t start = records;
  for (int kind = 0; kind < kKinds; ++kind) {
    starts[kind] = start;
    start += counts[kind] * kPlanes;
  }
  return starts;
}

// One number per tag.
using ByTag = std::array<std::uint64_t, kTags>;

// Counts the records of each tag.
ByTag count_tags(const unsigned char* tags, std::size_t records) {
  std::array<std::uint64_t, 256> found{};
  for (std::size_t i = 0; i < records; ++i) {
    ++found[tags[i]];
  }
  if (std::any_of(found.begin() + kTags, found.end(), [](std::uint64_t n) { return n != 0; })) {
    const unsigned char* const wrong =
        std::find_if(tags, tags + records, [](unsigned char tag) { return tag >= kTags; });
    throw InputError("record " + std::to_string(wrong - tags + 1) + " has the tag " +
                     std::to_string(*wrong));
  }
  ByTag counts{};
  std::copy_n(found.begin(), kTags, counts.begin());
  return counts;
}

Counts count_kinds(const ByTag& records) {
  Counts counts{};
  for (unsigned tag = 0; tag < kTags; ++tag) {
    counts[tag & 3] += records[tag];
  }
  return counts;
}

// The bits that all words of a tag have in common.
constexpr ByTag kWordsOfTags = [] {
  ByTag words{};
  for (std::uint64_t tag = 0; tag < kTags; ++tag) {
    words[tag] = tag >> 5 << kLowBits | (tag & 0x1F) << kRecordLineBits;
  }
  return words;
}();

// Computes totals. `records`: number of records with each tag. `high`: sum of the high parts of
// these records, by tag.
RecordSums sums_of(const ByTag& records, const ByTag& high) {
  RecordSums sums;
  for (unsigned tag = 0; tag < kTags; ++tag) {
    const unsigned vcpu = tag >> 2 & (kRecordVcpus - 1);
    const bool escapes = static_cast<RecordKind>(tag & 3) == RecordKind::escape;
    sums.records[vcpu] += records[tag];
    sums.instructions[vcpu] += escapes ? 0 : high[tag];
    sums.escapes += escapes ? records[tag] : 0;
  }
  return sums;
}

// Sixteen bytes at once, using the compilers' vector extension.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
constexpr std::size_t kLanes = 16;
using Lanes = unsigned char __attribute__((vector_size(kLanes)));

// Interleaves elements of kWidth bytes from two rows, starting at byte kFrom of both, until one row
// is full.
template <std::size_t kWidth, std::size_t kFrom, std::size_t... kAt>
Lanes by_turns(Lanes even, Lanes odd, std::index_sequence<kAt...> /*lanes*/) {
  return __builtin_shufflevector(
      even, odd, (kAt / kWidth % 2 * kLanes + kFrom + kAt / kWidth / 2 * kWidth + kAt % kWidth)...);
}

// Joins rows of elements into 2 x kRows numbers. The first row holds the lowest bytes, the last row
// the highest. Adds the bits set in any number to `all`.
template <std::size_t kRows>
HMSIM_INLINE void join_rows(const std::array<Lanes, kRows>& rows, std::uint64_t* numbers,
                            Lanes& all) {
  if constexpr (kRows == 1) {
    std::memcpy(numbers, rows.data(), kLanes);
    all |= rows[0];
  } else {
    constexpr std::size_t kWidth = kPlanes / kRows;  // of an element
    constexpr auto kAll = std::make_index_sequence<kLanes>();
    std::array<Lanes, kRows / 2> low;
    std::array<Lanes, kRows / 2> high;
    for (std::size_t i = 0; i < kRows / 2; ++i) {
      low[i] = by_turns<kWidth, 0>(rows[2 * i], rows[2 * i + 1], kAll);
      high[i] = by_turns<kWidth, kLanes / 2>(rows[2 * i], rows[2 * i + 1], kAll);
    }
    join_rows(low, numbers, all);
    join_rows(high, numbers + kRows, all);
  }
}

// Joins byte planes into numbers. Each plane holds the bytes of one significance, lowest first.
// Returns the bits set in any number.
std::uint64_t join_planes(const unsigned char* planes, std::size_t count, std::uint64_t* numbers) {
  Lanes bits{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::array<Lanes, kPlanes> rows;
    for (std::size_t plane = 0; plane < kPlanes; ++plane) {
      std::memcpy(&rows[plane], planes + plane * count + i, kLanes);
    }
    join_rows(rows, numbers + i, bits);
  }
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &bits, kLanes);
  std::uint64_t all = halves[0] | halves[1];
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

RecordSums unpack_records(std::string_view columns, std::vector<std::uint64_t>& words) {
  const std::size_t records = columns.size() / kColumnBytes;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(columns.data());
  const ByTag tags = count_tags(bytes, records);
  const Counts counts = count_kinds(tags);
  // Join the planes of each kind into 8-byte numbers, all kinds in one list. `next` is the position
  // of each kind in it.
  const Counts starts = plane_starts(counts, records);
  // Uninitialised memory; all of it is written below.
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
    throw InputError("record with bits outside its fields");
  }
  words.resize(records);
  Neighbours neighbours;
  ByTag high{};
  for (std::size_t i = 0; i < records; ++i) {
    const unsigned tag = bytes[i];
    const std::uint64_t number = numbers[next[tag & 3]++];
    words[i] =
        neighbours.low(tag, number & kLowMask) | kWordsOfTags[tag] | (number >> kHighShift) << 45;
    high[tag] += number >> kHighShift;
  }
  return sums_of(tags, high);
}

}  // namespace hmsim
