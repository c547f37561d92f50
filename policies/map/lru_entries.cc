// SPDX-License-Identifier: BSD-3-Clause
#include "policies/map_replacement.h"

namespace hmsim {

class LruEntries final : public MapReplacement {
 public:
  bool by_recency() const override { return true; }
};

extern const PolicyDescriptor kPolicy_lru_entries{
    PolicyKind::map_replacement, "lru_entries",
    "loads the entry that is missing, evicts the least recently used one",
    "Gupta, Kim and Urgaonkar, DFTL, ASPLOS 2009", make_policy<LruEntries>};

}  // namespace hmsim
