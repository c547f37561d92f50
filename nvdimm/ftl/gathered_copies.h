// SPDX-License-Identifier: BSD-3-Clause
// Pages that a collection has read and is yet to write: what several flash pages still hold is
// gathered until it fills one.
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

  void serialize(Archive& archive) { archive(page, source); }
};

// What one program writes.
struct CopyBatch {
  std::array<PageCopy, kMostParts> copies;
  std::uint32_t count = 0;

  // The program into the flash page at `target` is over.
  void commit(Ftl& ftl, PhysicalPage target) const;
  void serialize(Archive& archive, const Ftl& ftl);
};

class GatheredCopies {
 public:
  bool empty() const { return count_ == 0; }

  // The parts of the flash page at `first` that hold valid pages: they have been read. There are
  // fewer than fill a page, but for those.
  PartMask gather(const Ftl& ftl, PhysicalPage first);
  // The same, without reading them.
  static PartMask valid_parts(const Ftl& ftl, PhysicalPage first);

  // Whether what is here, with those parts, makes a program without padding.
  bool would_fill(const Ftl& ftl, PartMask parts) const;
  bool fill_page(const Ftl& ftl) const { return count_ >= ftl.shape().parts(); }
  // What the next program writes: a flash page that came last and was full as it is, so that
  // translation pages stay together and other ones may be copied back; else the first pages.
  CopyBatch take(const Ftl& ftl);

  // Calls with each page that came last.
  template <class Call>
  void each_new(Call call) const {
    for (std::uint32_t i = old_; i < count_; ++i) {
      call(copies_[i]);
    }
  }

  void serialize(Archive& archive, const Ftl& ftl);

 private:
  std::array<PageCopy, 2 * kMostParts> copies_;
  std::uint32_t count_ = 0;
  std::uint32_t old_ = 0;  // of them, those that came before the last flash page
};

}  // namespace hmsim
