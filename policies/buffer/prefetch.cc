// SPDX-License-Identifier: BSD-3-Clause
#include "policies/buffer/lookahead_rules.h"

namespace hmsim {

// Fetches pages of queued reads while their LUNs are idle.
class Prefetch final : public BufferManager {
 public:
  bool prefetch(const PrefetchView& view) const override { return may_prefetch(view); }
};

extern const PolicyDescriptor kPolicy_prefetch{
    PolicyKind::buffer_manager, "prefetch", "pages of queued reads are fetched by idle LUNs",
    "the paper, section V-B: from the addresses of queued commands", make_policy<Prefetch>};

}  // namespace hmsim
