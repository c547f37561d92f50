// SPDX-License-Identifier: BSD-3-Clause
#include "policies/host_limiter.h"

namespace hmsim {

// A constant number of entries for slow requests.
class Limit final : public HostLimiter {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("entries", entries_, {1, 65'536}, "entries",
                       {"entries of the host queue that slow requests may hold", "assumed"});
  }
  bool admits(Tier tier, std::uint16_t /*source*/, const HostView& view) override {
    return tier == Tier::fast || view.of(tier) < entries_;
  }

 private:
  std::int64_t entries_ = 16;
};

extern const PolicyDescriptor kPolicy_limit{PolicyKind::host_limiter, "limit",
                                            "slow requests hold at most a given number of entries",
                                            "static partition", make_policy<Limit>};

}  // namespace hmsim
