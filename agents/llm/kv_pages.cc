// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/kv_pages.h"

#include <utility>

#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

KvPages::KvPages(std::size_t sequences, std::size_t most, Random random)
    : most_(most), random_(random), table_(sequences * most), counts_(sequences) {
  free_.reserve(table_.size());
  rewind();
}

void KvPages::rewind() {
  Random random = random_;
  counts_.assign(counts_.size(), 0);
  free_.resize(table_.size());
  for (std::size_t i = 0; i < free_.size(); ++i) {
    free_[i] = static_cast<std::uint32_t>(i);
    std::swap(free_[i], free_[random.below(i + 1)]);
  }
}

void KvPages::extend(std::uint32_t sequence, std::size_t pages) {
  for (std::uint32_t& count = counts_[sequence]; count < pages; ++count) {
    ensure(!free_.empty() && count < most_, "llm_decode", Tick(0), sequence,
           "page of a sequence beyond its longest context");
    table_[sequence * most_ + count] = free_.back();
    free_.pop_back();
  }
}

void KvPages::release(std::uint32_t sequence) {
  for (std::uint32_t& count = counts_[sequence]; count > 0; --count) {
    free_.push_back(table_[sequence * most_ + count - 1]);
  }
}

void KvPages::serialize(Archive& archive) {
  archive.fixed(table_, counts_);
  archive(free_);
  if (archive.loading()) {
    archive.check_indices(table_, table_.size(), "invalid page of a sequence");
    SlotClaims pages(archive, table_.size(), "page of a sequence held twice, or invalid page");
    for (const std::uint32_t page : free_) {
      pages.claim(page);
    }
    for (std::uint32_t sequence = 0; sequence < counts_.size(); ++sequence) {
      archive.check(counts_[sequence] <= most_, "sequence with too many pages");
      for (std::size_t i = 0; i < counts_[sequence]; ++i) {
        pages.claim(page(sequence, i));
      }
    }
    free_.reserve(table_.size());
  }
}

}  // namespace hmsim
