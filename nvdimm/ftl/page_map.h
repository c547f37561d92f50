// SPDX-License-Identifier: BSD-3-Clause
// The page-level map: where in flash each logical page is, and whose page a place holds. With a
// cached map its own pages, translation pages, have numbers after the logical pages.
//
// Invariant: a page has at most one place, and a place at most one owner: the page that the map has
// there. What a place says of its owner counts only while that page's entry agrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/zeroed_array.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

class PageMap {
 public:
  // `shape` outlives the map.
  explicit PageMap(const FtlShape& shape);

  std::size_t size() const { return l2p_.size(); }  // logical pages, and parts of translation pages
  PhysicalPage place(LogicalPage page) const {
    return PhysicalPage(std::int64_t{l2p_[index(page)]} - 1);
  }
  // Whose valid data the place holds.
  std::optional<LogicalPage> owner(PhysicalPage at) const;
  // The LUN where the page is, or, never written, where its stripe would have put it.
  std::uint32_t read_lun(LogicalPage page) const {
    const PhysicalPage at = place(page);
    return at == kNowhere ? shape_.home(page) : shape_.lun_of(at);
  }
  // Returns the page's place, or, if it was never written, a place for it on its home LUN.
  PhysicalPage read_place(LogicalPage page) const;

  void set(LogicalPage page, PhysicalPage at) {
    l2p_[index(page)] = static_cast<std::uint32_t>(at.value() + 1);
    p2l_[static_cast<std::size_t>(at.value())] = static_cast<std::uint32_t>(page.value() + 1);
  }
  void remove(LogicalPage page) { l2p_[index(page)] = 0; }
  void clear();

  // Calls with each page of a translation page, in which part and at which byte of it the entry
  // begins, and what the entry says: the page's place plus one; 0: nowhere.
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
  // Numbers plus one, 0 for none.
  ZeroedArray l2p_;
  ZeroedArray p2l_;
};

}  // namespace hmsim
