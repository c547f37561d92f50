// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/claims.h"

#include "core/errors.h"

namespace hmsim {

std::uint32_t Claims::claim_any(LogicalPage page, std::uint32_t count) {
  const std::uint32_t lun = claim(
      page, [](std::uint32_t) { return true; }, count);
  ensure(lun != kNoIndex, "ftl", Tick(0), -1, "no LUN with room for a page");
  return lun;
}

void Claims::give_back(std::uint32_t lun, std::uint32_t count) {
  ensure(claimed_[lun] >= count, "ftl", Tick(0), -1, "page written without a claim");
  claimed_[lun] -= count;
}

void Claims::check_room(std::uint32_t lun) const {
  std::uint64_t room = 0;
  for (const LunBlocks& each : luns_) {
    room += shape_.valid_limit(each.bad());
  }
  const bool enough = shape_.dynamic
                          ? room >= shape_.needed
                          : shape_.valid_limit(luns_[lun].bad()) >= shape_.needed / shape_.luns;
  if (!enough) {
    raise_worn_out(lun, luns_[lun].bad());
  }
}

void Claims::clear() {
  claimed_.assign(shape_.luns, 0);
  cursor_ = 0;
}

void Claims::serialize_cursor(Archive& archive) {
  archive(cursor_);
  archive.check_index(cursor_, shape_.stripe.size(), "invalid next LUN");
}

}  // namespace hmsim
