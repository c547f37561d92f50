// SPDX-License-Identifier: BSD-3-Clause
#include "policies/host_limiter.h"

namespace hmsim {

class Unlimited final : public HostLimiter {};

extern const PolicyDescriptor kPolicy_unlimited{PolicyKind::host_limiter, "unlimited",
                                                "every request that finds a free entry",
                                                "common usage", make_policy<Unlimited>};

}  // namespace hmsim
