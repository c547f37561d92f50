// SPDX-License-Identifier: BSD-3-Clause
#include "policies/gc_scheduler.h"

namespace hmsim {

// Starts collection when it is due. Between pages, and before the erase, it yields to all pending
// host work of the LUN.
class Preemptive final : public GcScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.boolean("unplaced", unplaced_,
                       {"pages that can be written to any LUN count as demand on each; if writes "
                        "never pause, LUNs then work at the urgent limit",
                        "assumed"});
  }

  bool copy(const GcView& view) override { return none(view); }
  GcErase erase(const GcView& view) override { return {none(view), 0}; }

 private:
  bool none(const GcView& view) const {
    return view.lun.none() && !(unplaced_ && view.unplaced > 0);
  }

  bool unplaced_ = false;
};

extern const PolicyDescriptor kPolicy_preemptive{
    PolicyKind::gc_scheduler, "preemptive",
    "when few blocks are free, page by page between requests of the LUN",
    "Lee et al., A semi-preemptive garbage collector for solid state drives, ISPASS 2011",
    make_policy<Preemptive>};

}  // namespace hmsim
