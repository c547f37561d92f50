// SPDX-License-Identifier: BSD-3-Clause
// Which dirty frame of the write part is evicted next, and the pages that are being evicted.
//
// Invariant: a page is evicted at most once at a time, so that an older version never overtakes a
// newer one. When pages are merged, the same holds of all that share a flash page.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/types.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

class EvictionChoice {
 public:
  // All outlive the object.
  EvictionChoice(const SyncBuffer& buffer, Ftl& ftl, const FlashArray& flash);

  LogicalPage page_of(std::uint32_t frame) const {
    return buffer_.page_of(buffer_.write[frame].key);
  }
  // The least recently used frame whose page is not under way. kNoIndex, here and below: none.
  std::uint32_t next() const;
  // The next one whose page has that home; with dynamic allocation: any.
  std::uint32_t next_at(std::uint32_t home) const;
  // A frame that is worth evicting before a write needs it, since a LUN is idle. `wanted`: the home
  // that it must have, or kNoIndex.
  std::uint32_t early(std::uint32_t wanted) const;
  // The frame was chosen early: the next flash channel has its turn.
  void pass_turn(std::uint32_t frame);

  void begin(LogicalPage page, std::uint32_t eviction) {
    under_way_.insert(page.value(), eviction);
  }
  void end(LogicalPage page) { under_way_.erase(page.value()); }
  // The eviction of the page; kNoIndex: it is not under way.
  std::uint32_t eviction_of(LogicalPage page) const { return under_way_.find(page.value()); }
  void forget_evictions() { under_way_.clear(); }

  void serialize(Archive& archive);  // but for the evictions

 private:
  static constexpr int kEarlyWindow = 16;    // frames that early() looks at
  static constexpr int kCompanyWindow = 64;  // frames that next_at() looks at

  bool is_under_way(std::uint32_t frame) const;
  std::uint32_t channel_of(std::uint32_t lun) const { return lun / luns_per_channel_; }

  const SyncBuffer& buffer_;
  const Ftl& ftl_;
  const Claims& claims_;
  const FlashArray& flash_;
  const bool merges_;
  const std::uint32_t channels_;
  const std::uint32_t luns_per_channel_;
  std::uint32_t next_channel_ = 0;  // of early evictions
  KeyMap under_way_;                // page -> eviction
};

}  // namespace hmsim
