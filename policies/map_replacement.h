// SPDX-License-Identifier: BSD-3-Clause
// Decides which entries of a cached map (nvdimm.ftl.map: cached) are in memory: those that the read
// of a translation page loads, and the one that leaves next. All changed entries of a translation
// page are written together, whatever the policy.
//
// A power failure loses the policy's state: connect() is called again.
#pragma once

#include <cstdint>

#include "policies/policy.h"

namespace hmsim {

struct MapShape {
  std::uint32_t entries = 1;   // of the cache
  std::uint64_t pages = 0;     // logical, an entry each; numbered from 0
  std::uint64_t per_page = 1;  // entries of a translation page

  std::uint32_t translation_pages() const {
    return static_cast<std::uint32_t>((pages + per_page - 1) / per_page);
  }
};

// Entries of consecutive logical pages.
struct MapRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// A slot, below MapShape::entries, holds one entry.
class MapReplacement : public Policy {
 public:
  // Returns true for plain LRU of entries, which the cache maintains itself: it calls no other
  // function of such a policy.
  virtual bool by_recency() const { return false; }

  // Called before all other functions, and again after a power failure: forgets everything.
  virtual void connect(const MapShape& /*shape*/) {}
  // Report that the slot took the clean entry of a logical page, that the entry was read or
  // changed, that it differs from flash or does no longer, and that the slot gave it up.
  virtual void entered(std::uint32_t /*slot*/, std::uint64_t /*page*/) {}
  virtual void used(std::uint32_t /*slot*/) {}
  virtual void marked(std::uint32_t /*slot*/, bool /*dirty*/) {}
  virtual void left(std::uint32_t /*slot*/) {}

  // Returns the slot whose entry leaves next. Called only while all slots are in use.
  virtual std::uint32_t victim() const { return 0; }
  // Returns the entries to load, besides that of `page` in any case, after its translation page was
  // read; `all`: the entries that this has. Others are not loaded.
  virtual MapRange loads(std::uint64_t page, const MapRange& /*all*/) const { return {page, 1}; }
};

}  // namespace hmsim
