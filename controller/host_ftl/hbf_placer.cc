// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_placer.h"

namespace hmsim {

// A bank without a page for the write may need a collection to begin.
std::optional<HbfPlacer::Placed> HbfPlacer::place_next(Tick now) {
  Ring<Write>& line = failed_.empty() ? waiting_ : failed_;
  if (line.empty()) {
    return std::nullopt;
  }
  const Write write = line.front();
  const std::uint32_t lun = choose_bank(write);
  if (lun == kNoIndex) {
    for (std::uint32_t each = 0; each < ftl_.shape().luns; ++each) {
      collector_.consider(each, now);
    }
    return std::nullopt;
  }
  line.pop();
  pending_.remove_unplaced();
  return Placed{write.number, ftl_.allocate(lun, WriteStream::host, 0, write.handle)};
}

std::uint32_t HbfPlacer::choose_bank(const Write& write) {
  const FtlShape& shape = ftl_.shape();
  if (!shape.dynamic && !takes_page(shape.home(write.page), write.handle)) {
    return kNoIndex;
  }
  return ftl_.claims().claim(write.page,
                             [&](std::uint32_t lun) { return takes_page(lun, write.handle); });
}

// Returns whether the bank has a page for a user and, if that opens a block, keeps the reserve.
bool HbfPlacer::takes_page(std::uint32_t lun, std::uint32_t handle) const {
  return collector_.takes_pages(lun) &&
         (ftl_.frontiers().next_place(lun, WriteStream::host, handle) != kNowhere ||
          ftl_.blocks(lun).free() > reserve_);
}

}  // namespace hmsim
