// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Chooses the block that was filled first, whatever it holds. Constant time.
class Fifo final : public VictimSelector {
 public:
  std::uint32_t choose(const FullBlocks& blocks, Random& /*random*/) const override {
    return blocks.oldest();
  }
};

extern const PolicyDescriptor kPolicy_fifo{
    PolicyKind::victim_selector, "fifo", "the block that was filled first",
    "Desnoyers, Analytic modeling of SSD write performance, SYSTOR 2012", make_policy<Fifo>};

}  // namespace hmsim
