// SPDX-License-Identifier: BSD-3-Clause
// Victim selection: whether a LUN needs collection, and which block is collected next.
//
// Invariant: whenever collection is due, some full block has fewer valid pages than its size, so a
// collection frees more pages than it writes.
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
#include "policies/wear_leveler.h"

namespace hmsim {

// `assignments`: the configuration's, for the selector's parameters.
std::unique_ptr<VictimSelector> victim_selector(const std::string& name,
                                                const Assignments& assignments);

class Victims {
 public:
  // `shape` and `luns` must outlive the object. Without `selector`, selection is greedy. Without
  // `leveler`, it is erase_gap. `seed`: for the policies' draws.
  Victims(const FtlShape& shape, std::vector<LunBlocks>& luns,
          std::unique_ptr<VictimSelector> selector, std::uint64_t seed,
          std::unique_ptr<WearLeveler> leveler = nullptr);

  // Returns whether some full block is worth collecting. A failing block is, since its failed page
  // holds no data.
  bool collectable(std::uint32_t lun) {
    return luns_[lun].find_fewest() <= shape_.max_collectable_valid();
  }
  // Returns whether, in addition, free blocks are below the threshold, a block is failing, or the
  // SLC cache is full.
  bool due(std::uint32_t lun) {
    return (luns_[lun].free() < luns_[lun].due_below() || luns_[lun].failing() > 0) &&
           collectable(lun);
  }
  bool urgent(std::uint32_t lun) const { return luns_[lun].free() < shape_.urgent_limit; }
  // Returns whether collection is due and opening one more block would exceed the limit, so nothing
  // else may be written first. Collection then also terminates with a selector that takes blocks
  // without invalid pages.
  bool pressing(std::uint32_t lun) {
    return luns_[lun].free() + 1 < luns_[lun].due_below() && due(lun);
  }

  // Takes the first failing block, if any. Otherwise takes the selector's choice, or, if no block
  // is free, the block with the fewest valid pages, or, if the SLC cache is full, the block that
  // makes room in it. The block stays readable until its erase. Requires collectable().
  std::uint32_t take(std::uint32_t lun);
  // Takes the oldest full block of the SLC cache, if there is one.
  std::optional<std::uint32_t> take_cached(std::uint32_t lun);
  // Takes the given block, which must be full, to write its pages again.
  void take_block(std::uint32_t lun, std::uint32_t block) { luns_[lun].take(block); }
  // Static wear levelling: takes the full block that the policy selects, if any.
  std::optional<std::uint32_t> take_to_level(std::uint32_t lun);
  void on_erase(std::uint32_t lun, std::uint32_t block) {
    if (counts_erases_) {
      leveler_->on_erase(lun, block);
    }
  }
  // Forgets everything that the leveler knows, as after a power failure.
  void restart() { leveler_->connect({shape_.luns, shape_.blocks, shape_.wear_gap}); }

  void serialize(Archive& archive) { archive(random_, *selector_, *leveler_); }

 private:
  const FtlShape& shape_;
  std::vector<LunBlocks>& luns_;
  std::unique_ptr<VictimSelector> selector_;
  std::unique_ptr<WearLeveler> leveler_;
  const bool counts_erases_;
  Random random_;  // for the policies
};

}  // namespace hmsim
