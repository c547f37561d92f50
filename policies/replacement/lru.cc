// SPDX-License-Identifier: BSD-3-Clause
#include "policies/buffer_replacement.h"

namespace hmsim {

// Least recently used.
class Lru final : public BufferReplacement {
 public:
  bool by_recency() const override { return true; }
};

extern const PolicyDescriptor kPolicy_lru{PolicyKind::buffer_replacement, "lru",
                                          "the frame whose latest use ended first",
                                          "the paper, section III", make_policy<Lru>};

}  // namespace hmsim
