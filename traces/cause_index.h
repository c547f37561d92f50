// SPDX-License-Identifier: BSD-3-Clause
// Index of a trace with causes: the records that the state of threads before a stretch depends on.
//
// A stretch of a trace begins with what happened before it: which thread each vCPU runs, how the
// threads are named, and which pages of the NVDIMM were written. The index holds, block by block
// and in the captured order, the records that say so; of successive writes to one page, the first.
// With it a stretch opens without unpacking the blocks before it.
//
// In bytes, all numbers little-endian and of 8 bytes: a magic number; the number of blocks; for
// each block, the number of its records in the index; these records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/record_blocks.h"

namespace hmsim {

class CauseIndex {
 public:
  // Reads all blocks of a trace that tells causes and returns its index, in bytes. Throws
  // InputError.
  static std::string bytes_of(RecordBlocks& blocks);
  // nullopt if these are not the bytes of an index of so many blocks.
  static std::optional<CauseIndex> parse(std::string_view bytes, std::uint64_t blocks);

  // Calls see(word) for the records of all blocks before this one.
  template <class See>
  void each_before(std::uint64_t block, const See& see) const {
    for (std::uint64_t i = 0; i < ends_[block]; ++i) {
      see(words_[i]);
    }
  }

 private:
  CauseIndex() = default;

  std::vector<std::uint64_t> ends_;  // by block: records of the blocks before it
  std::vector<std::uint64_t> words_;
};

}  // namespace hmsim
