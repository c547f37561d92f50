// SPDX-License-Identifier: BSD-3-Clause
// Chooses the next dirty frame of the write part to evict, and tracks the pages being evicted.
//
// Invariant: at most one eviction of a page is in progress, so an older version never overtakes a
// newer one. With merging, the same holds for all pages that share a flash page.
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
  // The arguments must outlive the object.
  // `joins_planes`: a LUN is free also while it programs, if its next program has room for a plane.
  EvictionChoice(const SyncBuffer& buffer, Ftl& ftl, const FlashArray& flash, bool joins_planes);

  LogicalPage page_of(std::uint32_t frame) const {
    return buffer_.page_of(buffer_.write[frame].key);
  }
  // Returns the least recently used frame whose page is not being evicted, or kNoIndex.
  std::uint32_t next() const;
  // Pages that may leave in one program: their home (with dynamic allocation: any) and stream.
  struct Company {
    std::uint32_t home;
    std::uint32_t stream;
  };
  Company company_of(std::uint32_t frame) const {
    const LogicalPage page = page_of(frame);
    return {ftl_.shape().home(page), stream_of(page, frame)};
  }
  // `frame`: of the page.
  std::uint32_t stream_of(LogicalPage page, std::uint32_t frame) const {
    return ftl_.placement().host(page, buffer_.write[frame].handle);
  }
  // Returns the same for such pages. Examines only the first kCompanyWindow frames.
  std::uint32_t next_with(const Company& company) const;
  // Returns a frame worth evicting before a write needs it, because a LUN is free, or kNoIndex.
  // `company`: if not nullptr, the page must be such a page.
  std::uint32_t early(const Company* company);
  // Called when a LUN can take a program.
  void on_lun_free() { full_ = false; }
  // Passes the turn of early evictions to the next flash channel. `frame`: the latest early choice.
  void pass_turn(std::uint32_t frame);

  void begin(LogicalPage page, std::uint32_t eviction) {
    under_way_.insert(page.value(), eviction);
  }
  void end(LogicalPage page) { under_way_.erase(page.value()); }
  // Returns the eviction of the page, or kNoIndex if the page is not being evicted.
  std::uint32_t eviction_of(LogicalPage page) const { return under_way_.find(page.value()); }
  void forget_evictions() { under_way_.clear(); }

  void serialize(Archive& archive);  // except the evictions

 private:
  static constexpr int kEarlyWindow = 16;    // frames that early() examines
  static constexpr int kCompanyWindow = 64;  // frames that next_with() examines

  bool is_under_way(std::uint32_t frame) const;
  bool is_free(std::uint32_t lun) const {
    return flash_.idle(lun) || (joins_planes_ && flash_.takes_program(lun, true));
  }
  bool any_lun_free();
  std::uint32_t channel_of(std::uint32_t lun) const { return lun / luns_per_channel_; }

  const SyncBuffer& buffer_;
  const Ftl& ftl_;
  const Claims& claims_;
  const FlashArray& flash_;
  const bool merges_;
  const bool joins_planes_;
  const std::uint32_t channels_;
  const std::uint32_t luns_per_channel_;
  std::uint32_t next_channel_ = 0;  // for early evictions
  bool full_ = false;               // no LUN was free at the latest look
  KeyMap under_way_;                // page -> eviction
};

}  // namespace hmsim
