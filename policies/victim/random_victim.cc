// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Chooses any full block at random. Constant time.
class RandomVictim final : public VictimSelector {
 public:
  std::uint32_t choose(const FullBlocks& blocks, Random& random) const override {
    return blocks.at(static_cast<std::uint32_t>(random.below(blocks.count()))).block;
  }
};

extern const PolicyDescriptor kPolicy_random_victim{PolicyKind::victim_selector, "random_victim",
                                                    "any full block", "MQSim",
                                                    make_policy<RandomVictim>};

}  // namespace hmsim
