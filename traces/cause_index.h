// SPDX-License-Identifier: BSD-3-Clause
// Index of a trace with causes: the records needed to reconstruct the state of threads at a given
// block.
//
// The state at the start of a stretch is the result of earlier records: which thread each vCPU
// runs, the names of threads, and which NVDIMM pages were written. The index holds exactly these
// records, block by block in captured order. Among successive writes to one page it holds only the
// first. With the index, a stretch opens without unpacking the blocks before it.
//
// Format (all numbers are 8 bytes, little-endian): a magic number; the number of blocks; for each
// block, the number of its records in the index; then these records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/record_blocks.h"

namespace hmsim {

class CauseIndex {
 public:
  // Reads all blocks of a trace with causes and returns its serialised index. Throws InputError.
  static std::string bytes_of(RecordBlocks& blocks);
  // Parses an index. Returns nullopt unless `bytes` is a valid index of `blocks` blocks.
  static std::optional<CauseIndex> parse(std::string_view bytes, std::uint64_t blocks);

  // Returns the indexed records of all blocks before `block`.
  std::vector<std::uint64_t> before(std::uint64_t block) const {
    return {words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(ends_[block])};
  }

 private:
  CauseIndex() = default;

  std::vector<std::uint64_t> ends_;  // by block: number of indexed records before it
  std::vector<std::uint64_t> words_;
};

// Place at which reading begins for a stretch of a trace with causes.
struct StretchStart {
  std::uint64_t record = 0;            // number of the first record to read
  std::uint64_t passed = 0;            // instructions of all vCPUs before it
  std::vector<std::uint64_t> indexed;  // records of the index from before it
};

// Finds the start for a stretch after the first `skip` instructions of all vCPUs: the block in
// which it begins, or block 0 if the trace has no index. Throws InputError.
StretchStart stretch_start(RecordBlocks& blocks, std::uint64_t skip);

}  // namespace hmsim
