// SPDX-License-Identifier: BSD-3-Clause
// Random access to the records of a trace in hmsim's own format, block by block.
//
// The reader supplies the unpacked form of the file (docs/trace-format.md): the header; the index,
// which gives for each block the instructions of each vCPU; and the columns of each block.
// Unpacking has already verified the blocks' checksums.
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

  // Reads header and index. All member functions that read throw InputError.
  explicit RecordBlocks(TraceReader reader);

  unsigned vcpus() const { return vcpus_; }
  bool two_memories() const { return two_memories_; }
  bool causes() const { return causes_; }  // whether the trace may contain cause records
  std::uint64_t records() const { return records_; }
  std::uint64_t blocks() const { return starts_.size() / vcpus_ - 1; }
  const std::string& file() const { return reader_.file(); }

  // Reads the next record and checks the range of its fields. Returns false at the end.
  bool next(std::uint64_t& word) {
    if (at_ == words_.size() && !load_next()) {
      return false;
    }
    word = words_[at_++];
    return true;
  }
  // Returns whether the record that next() would read is in the present block. If so, peek()
  // returns it and pass() skips it.
  bool within_block() const { return at_ < words_.size(); }
  std::uint64_t peek() const { return words_[at_]; }
  void pass() { ++at_; }
  std::uint64_t passed() const { return before_ + at_; }  // records
  std::uint64_t block_of(std::uint64_t record) const { return record / block_records_; }
  std::uint64_t first_of(std::uint64_t block) const { return block * block_records_; }
  // Reads the records of a block, which must exist, into `words`. Empties `words` if it throws. The
  // position of next() does not change.
  void read_block(std::uint64_t block, std::vector<std::uint64_t>& words);
  void seek(std::uint64_t record);
  // Returns the bytes after the blocks: the index of a trace with causes (traces/cause_index.h), or
  // "".
  std::string read_rest();

  // Returns the last block that begins within the first `instructions` of a vCPU. nullopt: of all
  // vCPUs together.
  std::uint64_t block_at(std::uint64_t instructions, std::optional<unsigned> vcpu) const;
  // Returns the instructions of a vCPU, or of all vCPUs, before a block. With blocks(), returns
  // those of the whole trace.
  std::uint64_t instructions_before(std::uint64_t block, std::optional<unsigned> vcpu) const;
  // Seeks to the start of block_at(). Returns the instructions before it.
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
  std::uint64_t block_records_ = 0;  // per block, except the last
  std::uint64_t instructions_ = 0;
  std::uint64_t first_block_ = 0;  // offset of the first block
  std::vector<std::uint64_t>
      starts_;  // instructions of each vCPU before each block, and before the end

  std::uint64_t before_ = 0;          // records before words_
  std::vector<std::uint64_t> words_;  // of the present block
  std::size_t at_ = 0;                // index in words_
  std::string columns_;               // buffer for a block that is not contiguous in the reader
};

}  // namespace hmsim
