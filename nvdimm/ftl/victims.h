// SPDX-License-Identifier: BSD-3-Clause
// What a garbage collector may know and take: whether a LUN needs collection, and which block is
// collected next.
//
// Invariant: whenever collection is due, some full block holds fewer valid pages than it has room
// for, so that a collection frees more pages than it writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/random.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "nvdimm/ftl/lun_blocks.h"
#include "policies/policy.h"

namespace hmsim {

// `assignments`: the configuration's; the selector's parameters are taken from them.
std::unique_ptr<VictimSelector> victim_selector(const std::string& name,
                                                const Assignments& assignments);

class Victims {
 public:
  // `shape` and `luns` outlive the object. Without a selector: greedy. `seed`: of what it draws.
  Victims(const FtlShape& shape, std::vector<LunBlocks>& luns,
          std::unique_ptr<VictimSelector> selector, std::uint64_t seed);

  // Some full block is worth collecting. A failing one is, as the page that failed holds nothing.
  bool collectable(std::uint32_t lun) {
    return luns_[lun].find_fewest() <= shape_.worth_collecting();
  }
  // Besides, fewer blocks than the threshold are free, or a block is failing.
  bool due(std::uint32_t lun) {
    return (luns_[lun].free() < shape_.gc_threshold || luns_[lun].failing() > 0) &&
           collectable(lun);
  }
  bool urgent(std::uint32_t lun) const { return luns_[lun].free() < shape_.urgent_limit; }
  // Collection is due, and the next block that is opened would be one too many: nothing else may be
  // written first. So even a selector that takes blocks without invalid pages comes to an end.
  bool pressing(std::uint32_t lun) {
    return luns_[lun].free() + 1 < shape_.gc_threshold && due(lun);
  }

  // Takes the first failing block if there is one; otherwise the selector's choice, or, with no
  // block free, the one with the fewest valid pages. It stays readable until its erase. Only while
  // collectable().
  std::uint32_t take(std::uint32_t lun);
  // Static wear levelling: takes the least worn full block, if the LUN's most worn block has been
  // erased more than wear_gap times more often. Looks at every full block, but only while the gap
  // is that large.
  std::optional<std::uint32_t> take_coldest(std::uint32_t lun);

  void serialize(Archive& archive) { archive(random_, *selector_); }

 private:
  const FtlShape& shape_;
  std::vector<LunBlocks>& luns_;
  std::unique_ptr<VictimSelector> selector_;
  Random random_;  // the selector's
};

}  // namespace hmsim
