// SPDX-License-Identifier: BSD-3-Clause
#include "policies/page_placement.h"

namespace hmsim {

class Single final : public PagePlacement {
 public:
  std::uint32_t host(const HostWrite& /*write*/) const override { return 0; }
};

extern const PolicyDescriptor kPolicy_single{
    PolicyKind::page_placement, "single",
    "one open block for the host's pages; nvdimm.ftl.streams has no effect",
    "page-level FTLs, such as MQSim's", make_policy<Single>};

}  // namespace hmsim
