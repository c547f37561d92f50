// SPDX-License-Identifier: BSD-3-Clause
#include "policies/buffer_manager.h"

namespace hmsim {

// Does nothing before a lookup.
class OnDemand final : public BufferManager {
 public:
  bool watches_queue() const override { return false; }
};

extern const PolicyDescriptor kPolicy_on_demand{
    PolicyKind::buffer_manager, "on_demand",
    "pages are read and written back only when a lookup needs them", "", make_policy<OnDemand>};

}  // namespace hmsim
