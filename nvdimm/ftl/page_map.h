// SPDX-License-Identifier: BSD-3-Clause
// Page-level map: the flash place of each logical page, and the owner of each place. With a cached
// map the translation pages have numbers after the logical pages.
//
// Invariant: a page has at most one place, and a place has at most one owner, the page that is
// mapped to it. The owner recorded for a place counts only while that page's map entry agrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

class PageMap {
 public:
  // `shape` must outlive the map.
  explicit PageMap(const FtlShape& shape);

  std::size_t size() const { return l2p_.size(); }  // logical pages, and parts of translation pages
  PhysicalPage place(LogicalPage page) const {
    return PhysicalPage(std::int64_t{l2p_[index(page)]} - 1);
  }
  // Returns the page whose valid data the place holds.
  std::optional<LogicalPage> owner(PhysicalPage at) const;
  // Returns the page's LUN; for a page that was never written, its home.
  std::uint32_t read_lun(LogicalPage page) const {
    const PhysicalPage at = place(page);
    return at == kNowhere ? shape_.home(page) : shape_.lun_of(at);
  }
  // Returns the page's place; for a page that was never written, a place for it on its home LUN.
  PhysicalPage read_place(LogicalPage page) const;

  void set(LogicalPage page, PhysicalPage at) {
    l2p_[index(page)] = static_cast<std::uint32_t>(at.value() + 1);
    p2l_[static_cast<std::size_t>(at.value())] = static_cast<std::uint32_t>(page.value() + 1);
  }
  void remove(LogicalPage page) { l2p_[index(page)] = 0; }
  void clear();

  // Calls `call` for each entry of a translation page with: the logical page, the part and the byte
  // offset in it where the entry begins, and the entry (the page's place plus one; 0: unmapped).
  template <class Call>
  void for_entries(std::uint32_t translation_page, Call call) const {
    const std::uint64_t first = translation_page * shape_.page_entries();
    const std::uint64_t end = first + shape_.page_entries() < shape_.logical_pages
                                  ? first + shape_.page_entries()
                                  : shape_.logical_pages;
    for (std::uint64_t page = first; page < end; ++page) {
      const std::uint64_t entry = (page - first) % shape_.map_entries;
      call(LogicalPage(static_cast<std::int64_t>(page)),
           static_cast<std::uint32_t>((page - first) / shape_.map_entries),
           static_cast<std::size_t>(entry * sizeof(PageBytes) / shape_.map_entries), l2p_[page]);
    }
  }

  void serialize(Archive& archive);

 private:
  static std::size_t index(LogicalPage page) { return static_cast<std::size_t>(page.value()); }

  const FtlShape& shape_;
  // Numbers plus one; 0: none.
  ZeroedArray<std::uint32_t> l2p_;
  ZeroedArray<std::uint32_t> p2l_;
};

}  // namespace hmsim
