// SPDX-License-Identifier: BSD-3-Clause
#include "traces/record_blocks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "traces/cause_records.h"

namespace hmsim {

namespace {

constexpr std::size_t kHeaderBytes = 88;
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kCausesVersion = 3;
constexpr std::uint64_t kLineBits = 6;
constexpr std::uint64_t kTwoMemories = 2;  // header flags
constexpr std::uint64_t kCauses = 4;
constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 62;

std::uint64_t little_endian(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace

RecordBlocks::RecordBlocks(TraceReader reader) : reader_(std::move(reader)) { read_header(); }

void RecordBlocks::fail(const std::string& message) const {
  throw InputError(reader_.file() + ": " + message);
}

void RecordBlocks::read_header() {
  std::array<char, kHeaderBytes> header{};
  if (reader_.read(header.data(), kHeaderBytes) != kHeaderBytes) {
    fail("the file ends within the header of " + std::to_string(kHeaderBytes) + " bytes");
  }
  if (std::string_view(header.data(), 8) != "HMSIMTRC") {
    fail("is not an hmsim trace: it does not begin with 'HMSIMTRC'");
  }
  const auto field = [&](std::size_t at, std::size_t bytes, std::uint64_t least, std::uint64_t most,
                         const char* what) {
    const std::uint64_t found = little_endian(&header[at], bytes);
    if (found < least || found > most) {
      fail(std::string(what) + " is " + std::to_string(found) + ", expected " +
           std::to_string(least) + (least == most ? "" : " to " + std::to_string(most)));
    }
    return found;
  };
  causes_ = field(8, 2, kVersion, kCausesVersion, "the version") == kCausesVersion;
  const std::uint64_t always = causes_ ? kTwoMemories | kCauses : 0;
  two_memories_ = (field(10, 2, always, always == 0 ? 3 : 7, "the flags") & kTwoMemories) != 0;
  field(12, 1, kLineBits, kLineBits, "log2 of the line's bytes");
  vcpus_ = static_cast<unsigned>(field(13, 1, 1, kRecordVcpus, "the number of vCPUs"));
  records_ = little_endian(&header[16], 8);
  instructions_ = little_endian(&header[24], 8);
  block_records_ = field(64, 4, 1, kMaxBlock, "the number of records in a block");
  const std::uint64_t blocks = little_endian(&header[68], 4);
  if (blocks != records_ / block_records_ + (records_ % block_records_ == 0 ? 0 : 1)) {
    fail("has " + std::to_string(blocks) + " blocks of " + std::to_string(block_records_) +
         " for " + std::to_string(records_) + " records");
  }
  read_index(blocks);
}

void RecordBlocks::read_index(std::uint64_t blocks) {
  starts_.assign(vcpus_, 0);
  std::array<char, std::size_t{8} * kRecordVcpus> counts{};
  const std::size_t bytes = std::size_t{8} * vcpus_;
  std::uint64_t total = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    if (reader_.read(counts.data(), bytes) != bytes) {
      fail("the file ends within its index");
    }
    for (unsigned vcpu = 0; vcpu < vcpus_; ++vcpu) {
      const std::uint64_t count = little_endian(&counts[std::size_t{8} * vcpu], 8);
      if (count > kMostInstructions - total) {
        fail("block " + std::to_string(block + 1) + ": more than 2^62 instructions");
      }
      total += count;
      starts_.push_back(starts_[starts_.size() - vcpus_] + count);
    }
  }
  if (total != instructions_) {
    fail("the header has " + std::to_string(instructions_) + " instructions, the index " +
         std::to_string(total));
  }
  first_block_ = kHeaderBytes + blocks * bytes;
}

bool RecordBlocks::load_next() {
  if (passed() >= records_) {
    return false;
  }
  load(passed() / block_records_);
  return true;
}

void RecordBlocks::load(std::uint64_t block) {
  before_ = block * block_records_;
  at_ = 0;
  read_block(block, words_);
}

void RecordBlocks::read_block(std::uint64_t block, std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> found;  // reuses the memory of `words`, which stays empty meanwhile
  found.swap(words);
  const std::uint64_t before = block * block_records_;
  const auto count = static_cast<std::size_t>(std::min(block_records_, records_ - before));
  reader_.seek(first_block_ + before * kColumnBytes);
  const std::string name = "block " + std::to_string(block + 1);
  const std::string_view columns = reader_.read(count * kColumnBytes, columns_);
  if (columns.size() != count * kColumnBytes) {
    fail(name + ": the file ends within it");
  }
  try {
    const RecordSums sums = unpack_records(columns, found);
    if (!sums_are_right(block, sums)) {
      check(block, found);
    }
  } catch (const InputError& error) {
    fail(name + ": " + error.what());
  }
  words.swap(found);
}

// Returns whether the sums alone prove a block valid: it has no escapes, and each vCPU has the
// instructions that the index states. If so, check() is unnecessary.
bool RecordBlocks::sums_are_right(std::uint64_t block, const RecordSums& sums) const {
  bool right = sums.escapes == 0;
  for (unsigned vcpu = 0; vcpu < kRecordVcpus; ++vcpu) {
    right = right && (vcpu < vcpus_ ? sums.instructions[vcpu] == instructions_of(block, vcpu)
                                    : sums.records[vcpu] == 0);
  }
  return right;
}

void RecordBlocks::check(std::uint64_t block, const std::vector<std::uint64_t>& words) const {
  std::array<std::uint64_t, kRecordVcpus> instructions{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word = words[i];
    const unsigned vcpu = record_vcpu(word);
    instructions[vcpu] += record_instructions(word);
    if (vcpu >= vcpus_) {
      throw InputError("record " + std::to_string(i + 1) + ": vCPU " + std::to_string(vcpu) +
                       " must be below " + std::to_string(vcpus_));
    }
    if (record_kind(word) == RecordKind::escape) {
      const std::string wrong = wrong_escape(word, causes_);
      if (!wrong.empty()) {
        throw InputError("record " + std::to_string(i + 1) + ": " + wrong);
      }
    }
  }
  for (unsigned vcpu = 0; vcpu < vcpus_; ++vcpu) {
    if (instructions[vcpu] != instructions_of(block, vcpu)) {
      throw InputError("vCPU " + std::to_string(vcpu) + " executes " +
                       std::to_string(instructions[vcpu]) + " instructions, which differs from " +
                       "in the index");
    }
  }
}

void RecordBlocks::seek(std::uint64_t record) {
  if (record < before_ || record > before_ + words_.size() || words_.empty()) {
    before_ = std::min(record, records_);
    words_.clear();
    at_ = 0;
    if (before_ % block_records_ != 0 && before_ < records_) {
      load(before_ / block_records_);
    }
  }
  at_ = static_cast<std::size_t>(std::min(record, records_) - before_);
}

std::uint64_t RecordBlocks::instructions_before(std::uint64_t block,
                                                std::optional<unsigned> vcpu) const {
  const std::uint64_t* const counts = &starts_[static_cast<std::size_t>(block) * vcpus_];
  if (vcpu) {
    return counts[*vcpu];
  }
  std::uint64_t total = 0;
  for (unsigned each = 0; each < vcpus_; ++each) {
    total += counts[each];
  }
  return total;
}

std::uint64_t RecordBlocks::block_at(std::uint64_t instructions,
                                     std::optional<unsigned> vcpu) const {
  std::uint64_t first = 0;  // a block that begins within them
  std::uint64_t behind = starts_.size() / vcpus_;
  while (behind - first > 1) {
    const std::uint64_t middle = first + (behind - first) / 2;
    (instructions_before(middle, vcpu) <= instructions ? first : behind) = middle;
  }
  return first;
}

std::uint64_t RecordBlocks::seek_instruction(std::uint64_t instructions,
                                             std::optional<unsigned> vcpu) {
  const std::uint64_t block = block_at(instructions, vcpu);
  seek(first_of(block));
  return instructions_before(block, vcpu);
}

// Reads at most the size of an index of all records.
std::string RecordBlocks::read_rest() {
  constexpr std::uint64_t kNumber = 8;
  const std::uint64_t most = (2 + blocks() + records_) * kNumber;
  reader_.seek(first_block_ + records_ * kColumnBytes);
  std::string bytes;
  std::array<char, std::size_t{1} << 14> piece;
  std::size_t read = piece.size();
  while (read == piece.size() && bytes.size() < most) {
    read = reader_.read(piece.data(), std::min<std::uint64_t>(piece.size(), most - bytes.size()));
    bytes.append(piece.data(), read);
  }
  return bytes;
}

void RecordBlocks::serialize(Archive& archive) {
  std::uint64_t record = passed();
  archive(record);
  if (archive.loading()) {
    seek(record);
  }
}

}  // namespace hmsim
