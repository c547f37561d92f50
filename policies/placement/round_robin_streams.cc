// SPDX-License-Identifier: BSD-3-Clause
#include "policies/page_placement.h"

namespace hmsim {

// Changes the stream after each program. Separates nothing: the cost of more open blocks alone.
class RoundRobinStreams final : public PagePlacement {
 public:
  void connect(const PlacementShape& shape) override { shape_ = shape; }
  std::uint32_t host(const HostWrite& write) const override {
    return static_cast<std::uint32_t>(write.time / shape_.parts % shape_.streams);
  }

 private:
  PlacementShape shape_;
};

extern const PolicyDescriptor kPolicy_round_robin_streams{
    PolicyKind::page_placement, "round_robin_streams", "streams in turn, a program each",
    "the control of experiments with separation", make_policy<RoundRobinStreams>};

}  // namespace hmsim
