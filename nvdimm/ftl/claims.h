// SPDX-License-Identifier: BSD-3-Clause
// Claims on room in LUNs. A page on its way to flash claims room from the choice of its LUN until
// the commit; its old copy stays valid meanwhile.
//
// Invariant: with dynamic allocation a LUN's valid and claimed pages never exceed its limit
// (FtlShape::valid_limit), so every collection gains space.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/lun_blocks.h"

namespace hmsim {

class Claims {
 public:
  // `shape` and `luns` must outlive the object.
  Claims(const FtlShape& shape, const std::vector<LunBlocks>& luns)
      : shape_(shape), luns_(luns), claimed_(shape.luns) {}

  // Claims room for `count` pages, `page` and others of the same home, and returns the LUN. Static
  // allocation: their home. Dynamic: the next LUN in stripe order that is idle and has room, or
  // kNoIndex if there is none.
  template <class IsIdle>
  std::uint32_t claim(LogicalPage page, IsIdle is_idle, std::uint32_t count = 1) {
    if (!shape_.dynamic) {
      claimed_[shape_.home(page)] += count;
      return shape_.home(page);
    }
    const auto steps = static_cast<std::uint32_t>(shape_.stripe.size());
    for (std::uint32_t i = 0; i < steps; ++i) {
      const std::uint32_t step = (cursor_ + i) % steps;
      const std::uint32_t lun = shape_.stripe[step];
      if (is_idle(lun) && has_room(lun, count)) {
        claimed_[lun] += count;
        cursor_ = (step + 1) % steps;
        return lun;
      }
    }
    return kNoIndex;
  }
  // Like claim(), but accepts busy LUNs. At least one LUN must have room.
  std::uint32_t claim_any(LogicalPage page, std::uint32_t count) {
    const std::uint32_t lun = claim(
        page, [](std::uint32_t) { return true; }, count);
    ensure(lun != kNoIndex, "ftl", Tick(0), -1, "no LUN with room for a page");
    return lun;
  }
  // Claims room on the given LUN, regardless of the allocation.
  void claim_on(std::uint32_t lun, std::uint32_t count) { claimed_[lun] += count; }
  // Releases the claims of `count` pages that were written or will not be.
  void give_back(std::uint32_t lun, std::uint32_t count) {
    ensure(claimed_[lun] >= count, "ftl", Tick(0), -1, "page written without a claim");
    claimed_[lun] -= count;
  }

  bool has_room(std::uint32_t lun, std::uint32_t count = 1) const {
    return luns_[lun].valid() + claimed_[lun] + count <= luns_[lun].valid_limit();
  }
  // Returns whether some LUN with room is idle.
  template <class IsIdle>
  bool any_idle(IsIdle is_idle) const {
    for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
      if (is_idle(lun) && has_room(lun)) {
        return true;
      }
    }
    return false;
  }
  // Checks the LUN after blocks became bad. Raises an error if its good blocks cannot hold all
  // pages.
  void check_room(std::uint32_t lun) const {
    std::uint64_t room = 0;
    for (const LunBlocks& each : luns_) {
      room += each.valid_limit();
    }
    const bool enough = shape_.dynamic ? room >= shape_.needed
                                       : luns_[lun].valid_limit() >= shape_.needed / shape_.luns;
    if (!enough) {
      raise_worn_out(lun, luns_[lun].bad());
    }
  }

  void clear() {
    claimed_.assign(shape_.luns, 0);
    cursor_ = 0;
  }
  void serialize_cursor(Archive& archive) {
    archive(cursor_);
    archive.check_index(cursor_, shape_.stripe.size(), "invalid next LUN");
  }
  void serialize(Archive& archive, std::uint32_t lun) { archive(claimed_[lun]); }

 private:
  const FtlShape& shape_;
  const std::vector<LunBlocks>& luns_;
  std::vector<std::uint64_t> claimed_;  // pages, by LUN
  std::uint32_t cursor_ = 0;            // dynamic allocation: next index in the stripe
};

}  // namespace hmsim
