// SPDX-License-Identifier: BSD-3-Clause
// The records of a trace in hmsim's own format, block by block, and from any place at once.
//
// The reader takes the unpacked form of the file (docs/trace-format.md): the header; of each block
// the instructions of each vCPU, from the index; the columns of each block. The blocks' checksums
// are looked at where they are unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/record_columns.h"
#include "traces/trace_reader.h"

namespace hmsim {

class Archive;

class RecordBlocks {
 public:
  static constexpr std::size_t kMaxBlock = std::size_t{1} << 20;  // records

  // Reads header and index. Throws InputError, as all that reads does.
  explicit RecordBlocks(TraceReader reader);

  unsigned vcpus() const { return vcpus_; }
  bool two_memories() const { return two_memories_; }
  bool causes() const { return causes_; }  // whether escapes may tell them
  std::uint64_t records() const { return records_; }
  std::uint64_t blocks() const { return starts_.size() / vcpus_ - 1; }
  const std::string& file() const { return reader_.file(); }

  // The next record, whose fields hold what they may; false at the end.
  bool next(std::uint64_t& word) {
    if (at_ == words_.size() && !load_next()) {
      return false;
    }
    word = words_[at_++];
    return true;
  }
  // Whether the record that next() reads is in the present block: then peek() shows it, and pass()
  // goes on behind it.
  bool within_block() const { return at_ < words_.size(); }
  std::uint64_t peek() const { return words_[at_]; }
  void pass() { ++at_; }
  std::uint64_t passed() const { return before_ + at_; }  // records
  std::uint64_t block_of(std::uint64_t record) const { return record / block_records_; }
  std::uint64_t first_of(std::uint64_t block) const { return block * block_records_; }
  // The records of a block, of which there is one; none when it throws. Where the next record is
  // stays as it is.
  void read_block(std::uint64_t block, std::vector<std::uint64_t>& words);
  void seek(std::uint64_t record);
  // The bytes behind the blocks: the index of a trace with causes (traces/cause_index.h), or none.
  std::string read_rest();

  // The last block that begins within the first `instructions` of a vCPU, or of all (nullopt).
  std::uint64_t block_at(std::uint64_t instructions, std::optional<unsigned> vcpu) const;
  // Instructions of a vCPU, or of all, before a block; before the end of the trace: blocks().
  std::uint64_t instructions_before(std::uint64_t block, std::optional<unsigned> vcpu) const;
  // Goes to the start of block_at(); returns how many instructions lie before it.
  std::uint64_t seek_instruction(std::uint64_t instructions, std::optional<unsigned> vcpu);

  void serialize(Archive& archive);

 private:
  void read_header();
  void read_index(std::uint64_t blocks);
  bool load_next();
  void load(std::uint64_t block);
  bool sums_are_right(std::uint64_t block, const RecordSums& sums) const;
  void check(std::uint64_t block, const std::vector<std::uint64_t>& words) const;
  std::uint64_t instructions_of(std::uint64_t block, unsigned vcpu) const {
    const std::size_t first = static_cast<std::size_t>(block) * vcpus_;
    return starts_[first + vcpus_ + vcpu] - starts_[first + vcpu];
  }
  [[noreturn]] void fail(const std::string& message) const;

  TraceReader reader_;
  unsigned vcpus_ = 0;
  bool two_memories_ = false;
  bool causes_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t block_records_ = 0;  // of every block but the last
  std::uint64_t instructions_ = 0;
  std::uint64_t first_block_ = 0;  // offset
  std::vector<std::uint64_t>
      starts_;  // instructions of each vCPU before each block, and at the end

  std::uint64_t before_ = 0;          // records before words_
  std::vector<std::uint64_t> words_;  // of the present block
  std::size_t at_ = 0;                // in words_
  std::string columns_;               // of a block that is not at hand as a whole
};

}  // namespace hmsim
