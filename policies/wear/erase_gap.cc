// SPDX-License-Identifier: BSD-3-Clause
#include "policies/wear_leveler.h"

namespace hmsim {

// Takes time proportional to the full blocks, but only while the gap is too large.
class EraseGap final : public WearLeveler {
 public:
  void connect(const WearShape& shape) override { gap_ = shape.gap; }
  std::uint32_t choose(const LunWear& wear, const FullBlocks& blocks, Random& /*random*/) override {
    return gap_ == 0 || wear.most - wear.least <= gap_ ? kNoIndex
                                                       : blocks.least_worn(wear.most - gap_);
  }

 private:
  std::uint32_t gap_ = 0;
};

extern const PolicyDescriptor kPolicy_erase_gap{
    PolicyKind::wear_leveler, "erase_gap",
    "the least worn block, once it has ftl.wear_gap fewer erases than the most worn one", "MQSim",
    make_policy<EraseGap>};

}  // namespace hmsim
