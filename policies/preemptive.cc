// SPDX-License-Identifier: BSD-3-Clause
#include "policies/gc_scheduler.h"

namespace hmsim {

// Collection begins when it is due, and gives way between two pages, and before the erase, to
// whatever the host wants of the LUN.
class Preemptive final : public GcScheduler {
 public:
  bool copy(const GcView& view) override { return view.lun.none(); }
  GcErase erase(const GcView& view) override { return {view.lun.none(), 0}; }
};

extern const PolicyDescriptor kPolicy_preemptive;
const PolicyDescriptor kPolicy_preemptive{
    PolicyKind::gc_scheduler, "preemptive", "when due, page by page between requests of its LUN",
    "Lee et al., A semi-preemptive garbage collector for solid state drives, ISPASS 2011",
    make_policy<Preemptive>};

}  // namespace hmsim
