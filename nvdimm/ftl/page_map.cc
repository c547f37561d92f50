// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/page_map.h"

#include <algorithm>

namespace hmsim {

PageMap::PageMap(const FtlShape& shape)
    : shape_(shape),
      l2p_(shape.logical_pages + (shape.map_pages() << shape.part_bits)),
      p2l_(shape.places()) {}

std::optional<LogicalPage> PageMap::owner(PhysicalPage at) const {
  const std::uint32_t entry = p2l_[static_cast<std::size_t>(at.value())];
  if (entry == 0 || l2p_[entry - 1] != at.value() + 1) {
    return std::nullopt;
  }
  return LogicalPage(std::int64_t{entry} - 1);
}

PhysicalPage PageMap::read_place(LogicalPage page) const {
  const PhysicalPage at = place(page);
  if (at != kNowhere) {
    return at;
  }
  // Index of the page among the pages of its home LUN, as if all had been written in order.
  const std::uint64_t of_flash = index(page) >> shape_.part_bits;
  const std::uint64_t at_home =
      (of_flash / shape_.luns << shape_.part_bits) + index(page) % shape_.parts();
  const std::uint64_t pages = std::uint64_t{shape_.blocks} * shape_.pages;
  return PhysicalPage(static_cast<std::int64_t>(shape_.home(page) * pages + at_home % pages));
}

void PageMap::clear() {
  l2p_ = ZeroedArray<std::uint32_t>(l2p_.size());
  p2l_ = ZeroedArray<std::uint32_t>(p2l_.size());
}

// Saves only l2p_, because loading derives p2l_ from it. Packs two entries into a number and omits
// stretches without a written page.
void PageMap::serialize(Archive& archive) {
  constexpr std::size_t kStretch = 1024;
  if (archive.loading()) {
    clear();
  }
  for (std::size_t begin = 0; begin < l2p_.size(); begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, l2p_.size());
    bool written = false;
    for (std::size_t i = begin; i < end && !written; ++i) {
      written = l2p_[i] != 0;
    }
    archive(written);
    for (std::size_t i = begin; written && i < end; i += 2) {
      const bool second = i + 1 < end;
      std::uint64_t pair = l2p_[i] | std::uint64_t{second ? l2p_[i + 1] : 0} << 32;
      archive(pair);
      if (archive.loading()) {
        l2p_[i] = static_cast<std::uint32_t>(pair);
        if (second) {
          l2p_[i + 1] = static_cast<std::uint32_t>(pair >> 32);
        }
      }
    }
  }
  for (std::size_t page = 0; archive.loading() && page < l2p_.size(); ++page) {
    if (l2p_[page] != 0) {
      archive.check(l2p_[page] <= p2l_.size() && p2l_[l2p_[page] - 1] == 0,
                    "two logical pages at the same place, or one at none");
      p2l_[l2p_[page] - 1] = static_cast<std::uint32_t>(page + 1);
    }
  }
}

}  // namespace hmsim
