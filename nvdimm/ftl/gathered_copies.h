// SPDX-License-Identifier: BSD-3-Clause
// Pages that a collection has read and not yet written. The valid pages of several flash pages are
// gathered until they fill one.
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

// The pages that one program writes.
struct CopyBatch {
  std::array<PageCopy, kMostParts> copies;
  std::uint32_t count = 0;

  // Commits the pages after the program into the flash page at `target` has ended.
  void commit(Ftl& ftl, PhysicalPage target) const;
  void serialize(Archive& archive, const Ftl& ftl);
};

class GatheredCopies {
 public:
  bool empty() const { return count_ == 0; }

  // Gathers the valid pages of the flash page at `first` and returns their parts. Before the call,
  // fewer pages than fill a flash page must be gathered.
  PartMask gather(const Ftl& ftl, PhysicalPage first);
  // Returns the same parts without gathering them.
  static PartMask valid_parts(const Ftl& ftl, PhysicalPage first);

  // Returns whether the gathered pages and `parts` together make a program without padding.
  bool would_fill(const Ftl& ftl, PartMask parts) const;
  bool fill_page(const Ftl& ftl) const { return count_ >= ftl.shape().parts(); }
  // Removes and returns the next batch. If the last flash page was entirely valid, it is the batch:
  // translation pages then stay together, and other pages may use copyback. Otherwise the batch is
  // the first pages gathered.
  CopyBatch take(const Ftl& ftl);

  // Calls `call` with each page of the last flash page.
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
  std::uint32_t old_ = 0;  // pages from before the last flash page
};

}  // namespace hmsim
