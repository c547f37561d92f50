// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Chooses the block with the fewest valid pages among d full blocks drawn with replacement. Takes d
// draws.
class DChoices final : public VictimSelector {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer(
        "d", d_, {1, 4096}, "blocks",
        {"number of full blocks that are drawn", "assumed; MQSim: log2 of the blocks"});
  }
  std::uint32_t choose(const FullBlocks& blocks, Random& random) const override {
    const auto draw = [&] {
      return blocks.at(static_cast<std::uint32_t>(random.below(blocks.count())));
    };
    BlockView best = draw();
    for (std::int64_t i = 1; i < d_; ++i) {
      const BlockView view = draw();
      best = view.valid < best.valid ? view : best;
    }
    return best.block;
  }

 private:
  std::int64_t d_ = 10;
};

extern const PolicyDescriptor kPolicy_d_choices{
    PolicyKind::victim_selector, "d_choices",
    "of d random blocks, the one with the fewest valid pages",
    "Van Houdt, A mean field model for a class of garbage collection algorithms, SIGMETRICS 2013",
    make_policy<DChoices>};

}  // namespace hmsim
