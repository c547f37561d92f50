// SPDX-License-Identifier: BSD-3-Clause
// Pages that a collection has read and not yet written. The valid pages of several flash pages are
// gathered until those of one stream fill one, or a row of the planes. At the end of a victim, or
// without room for more, streams share a flash page, so copies never take more flash pages than
// with one stream.
#pragma once

#include <array>
#include <cstdint>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

struct PageCopy {
  LogicalPage page;
  PhysicalPage source;
  std::uint32_t stream = 0;  // Ftl::stream_of_copy()

  void serialize(Archive& archive) { archive(page, source, stream); }
};

// The pages that one program writes.
struct CopyBatch {
  std::array<PageCopy, kMostParts> copies;
  std::uint32_t count = 0;

  // Allocates the flash page for the stream of the first page.
  PhysicalPage allocate(Ftl& ftl, std::uint32_t lun, bool levelling,
                        std::uint32_t sources = 0) const {
    return ftl.allocate_copy(lun, copies[0].page, copies[0].stream, levelling, sources);
  }

  // Commits the pages after the program into the flash page at `target` has ended.
  void commit(Ftl& ftl, PhysicalPage target) const;
  void serialize(Archive& archive, const Ftl& ftl);
};

class GatheredCopies {
 public:
  static constexpr std::uint32_t kMostFlashPages = 7;  // that fill_page() may ask for

  bool empty() const { return count_ == 0; }

  // Gathers the valid pages of the flash page at `first` and returns their parts. Before the call,
  // has_room() must be true. `together`: if all parts are valid, they stay together.
  PartMask gather(const Ftl& ftl, PhysicalPage first, bool together = false);
  // Returns the same parts without gathering them.
  static PartMask valid_parts(const Ftl& ftl, PhysicalPage first);

  // Returns whether a program would follow gather().
  bool would_fill(const Ftl& ftl, PhysicalPage first, bool together) const {
    if (!ftl.placement().active()) {
      return count_ + count_parts(valid_parts(ftl, first)) >= ftl.shape().parts();
    }
    GatheredCopies after = *this;
    after.gather(ftl, first, together);
    return after.fill_page(ftl);
  }
  // Returns whether the pages fill `pages` flash pages. With several streams: one flash page.
  bool fill_page(const Ftl& ftl, std::uint32_t pages = 1) const {
    const std::uint32_t parts = ftl.shape().parts();
    return count_ >= parts * pages &&
           (!ftl.placement().active() || count_ + parts > copies_.size() ||
            full_stream(parts) != nullptr);
  }
  bool has_room(const Ftl& ftl) const { return count_ + ftl.shape().parts() <= copies_.size(); }
  // Returns the flash pages that take() fills until no page is left, the last one in part.
  std::uint32_t flash_pages(const Ftl& ftl) const {
    return (count_ + ftl.shape().parts() - 1) >> ftl.shape().part_bits;
  }
  // Removes and returns the next batch. If the last flash page was entirely valid and has one
  // stream, it is the batch: translation pages then stay together, and other pages may use
  // copyback. Otherwise the batch is the first pages gathered of a stream that fills a flash page,
  // or of all streams if none does.
  CopyBatch take(const Ftl& ftl);

  // Calls `call` with each page of the flash page at `first`.
  template <class Call>
  void each_of(const Ftl& ftl, PhysicalPage first, Call call) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (ftl.shape().same_flash_page(copies_[i].source, first)) {
        call(copies_[i]);
      }
    }
  }

  void serialize(Archive& archive, const Ftl& ftl);

 private:
  static constexpr std::uint32_t kMost = (kMostFlashPages + 1) * kMostParts;

  // Returns the first page of the first stream with at least `parts` pages, or nullptr.
  const PageCopy* full_stream(std::uint32_t parts) const;

  std::array<PageCopy, kMost> copies_;
  std::uint32_t count_ = 0;
  std::uint32_t old_ = 0;  // pages from before the last flash page
};

}  // namespace hmsim
