// SPDX-License-Identifier: BSD-3-Clause
#include "policies/gc_scheduler.h"

namespace hmsim {

// Scheduler that runs a collection to its end once it is due. Requests for the LUN wait meanwhile.
class Reactive final : public GcScheduler {
 public:
  bool copy(const GcView& /*view*/) override { return true; }
  GcErase erase(const GcView& /*view*/) override { return {}; }
};

extern const PolicyDescriptor kPolicy_reactive{
    PolicyKind::gc_scheduler, "reactive", "in the foreground: when few blocks are free, to the end",
    "the conventional collection of the paper, section V-C", make_policy<Reactive>};

}  // namespace hmsim
