// SPDX-License-Identifier: BSD-3-Clause
#include "policies/gc_scheduler.h"

namespace hmsim {

// Like reactive, but pages never leave their LUN: a copy takes two commands on the channel and no
// transfer.
class ReactiveCopyback final : public GcScheduler {
 public:
  bool copy(const GcView& /*view*/) override { return true; }
  GcErase erase(const GcView& /*view*/) override { return {}; }
  bool copyback() const override { return true; }
};

extern const PolicyDescriptor kPolicy_reactive_copyback{
    PolicyKind::gc_scheduler, "reactive_copyback",
    "in the foreground, pages copied inside the chip", "ONFI copyback",
    make_policy<ReactiveCopyback>};

}  // namespace hmsim
