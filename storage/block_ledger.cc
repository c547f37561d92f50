// SPDX-License-Identifier: BSD-3-Clause
#include "storage/block_ledger.h"

namespace hmsim {

std::uint32_t BlockLedger::open(std::uint32_t place, std::int64_t accesses, Tick now,
                                std::uint64_t collections_ended, bool measured) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  blocks_[number] = {now, place, measured, accesses, collections_ended};
  return number;
}

void BlockLedger::close(std::uint32_t block, Tick now, std::uint64_t collections_begun) {
  const Block& closed = blocks_[block];
  if (closed.measured) {
    const std::int64_t time = (now - closed.first_sent).value();
    times_.add(time);
    if (collections_begun != closed.collections_ended) {
      times_in_collections_.add(time);
    }
  }
  free_.push_back(block);
}

void BlockLedger::serialize(Archive& archive) {
  archive(blocks_, free_, times_, times_in_collections_);
  archive.check_indices(free_, blocks_.size(), "invalid block of a request");
}

}  // namespace hmsim
