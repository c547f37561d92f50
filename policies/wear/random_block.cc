// SPDX-License-Identifier: BSD-3-Clause
#include "policies/wear_leveler.h"

namespace hmsim {

class RandomBlock final : public WearLeveler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("period", period_, {1, 1'000'000}, "collections",
                       {"mean number of collections between two moves", "assumed"});
  }
  std::uint32_t choose(const LunWear& /*wear*/, const FullBlocks& blocks, Random& random) override {
    return blocks.count() == 0 || random.below(static_cast<std::uint64_t>(period_)) != 0
               ? kNoIndex
               : blocks.at(static_cast<std::uint32_t>(random.below(blocks.count()))).block;
  }

 private:
  std::int64_t period_ = 100;
};

extern const PolicyDescriptor kPolicy_random_block{
    PolicyKind::wear_leveler, "random_block", "now and then, a random block",
    "Ben-Aroya and Toledo, Competitive analysis of flash-memory algorithms, ESA 2006",
    make_policy<RandomBlock>};

}  // namespace hmsim
