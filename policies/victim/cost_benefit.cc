// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Chooses the block with the largest benefit/cost ratio (1 - u) / 2u x age. u is the share of valid
// pages. age is the time since the block last lost a valid page, measured in pages written. Among
// blocks with equally many valid pages the oldest is best, so choose() takes at most one lookup per
// page of a block.
class CostBenefit final : public VictimSelector {
 public:
  std::uint32_t choose(const FullBlocks& blocks, Random& /*random*/) const override {
    BlockView best = blocks.first_with(blocks.fewest());
    for (std::uint32_t valid = best.valid + 1; valid < blocks.pages(); ++valid) {
      if (blocks.any_with(valid)) {
        const BlockView view = blocks.first_with(valid);
        best = better(view, best) ? view : best;
      }
    }
    return best.block;
  }

 private:
  // Returns whether (pages - valid) / (2 valid) x age is larger for a. A block without valid pages
  // costs nothing and is best.
  static bool better(const BlockView& a, const BlockView& b) {
    return (a.pages - a.valid) * a.age * b.valid > (b.pages - b.valid) * b.age * a.valid;
  }
};

extern const PolicyDescriptor kPolicy_cost_benefit{
    PolicyKind::victim_selector, "cost_benefit", "the block with the largest (1 - u) / 2u x age",
    "Kawaguchi, Nishioka and Motoda, A flash-memory based file system, USENIX 1995",
    make_policy<CostBenefit>};

}  // namespace hmsim
