// SPDX-License-Identifier: BSD-3-Clause
#include "policies/refresh_pacer.h"

namespace hmsim {

// Leaves blocks as they are.
class NoRefresh final : public RefreshPacer {
 public:
  Tick next(const RefreshView& /*view*/) const override { return kNever; }
};

extern const PolicyDescriptor kPolicy_no_refresh{
    PolicyKind::refresh_pacer, "no_refresh", "no block is refreshed", "", make_policy<NoRefresh>};

}  // namespace hmsim
