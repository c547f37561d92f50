// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Chooses the block with the fewest valid pages; ties go to the least worn, then to the one changed
// longest ago. Takes time proportional to the number of tied blocks.
class Greedy final : public VictimSelector {
 public:
  std::uint32_t choose(const FullBlocks& blocks, Random& /*random*/) const override {
    BlockView view = blocks.first_with(blocks.fewest());
    BlockView best = view;
    while (blocks.next_alike(view)) {
      best = view.erases < best.erases ? view : best;
    }
    return best.block;
  }
};

extern const PolicyDescriptor kPolicy_greedy{
    PolicyKind::victim_selector, "greedy", "the block with the fewest valid pages",
    "Rosenblum and Ousterhout, The design and implementation of a log-structured file system, 1992",
    make_policy<Greedy>};

}  // namespace hmsim
