// SPDX-License-Identifier: BSD-3-Clause
// Decides when the pages of a block with long-lived data move, so that it can be erased as often as
// others (static wear levelling). The FTL asks after each collection that leaves the LUN a free
// block. The pages move to the most worn free block. Other writes open the least worn one, whatever
// the policy (dynamic wear levelling).
//
// A power failure loses the policy's state: connect() is called again.
#pragma once

#include <cstdint>

#include "core/key_map.h"
#include "policies/policy.h"

namespace hmsim {

struct WearShape {
  std::uint32_t luns = 1;
  std::uint32_t blocks = 0;  // of each LUN
  std::uint32_t gap = 0;     // nvdimm.ftl.wear_gap; 0: off
};

// A LUN after a collection.
struct LunWear {
  std::uint32_t lun = 0;
  std::uint32_t most = 0;  // erases of the most worn good block
  std::uint32_t least = 0;
};

class WearLeveler : public Policy {
 public:
  // Called before all other functions, and again after a power failure: forgets everything.
  virtual void connect(const WearShape& /*shape*/) {}
  // Returns the full block to move, or kNoIndex. `random` belongs to the NVDIMM.
  virtual std::uint32_t choose(const LunWear& wear, const FullBlocks& blocks, Random& random) = 0;
  // Returns whether the FTL reports erases.
  virtual bool counts_erases() const { return false; }
  virtual void on_erase(std::uint32_t /*lun*/, std::uint32_t /*block*/) {}
};

}  // namespace hmsim
