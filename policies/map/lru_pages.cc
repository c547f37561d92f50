// SPDX-License-Identifier: BSD-3-Clause
#include "policies/map/entry_lists.h"

namespace hmsim {

class LruPages final : public MapReplacement {
 public:
  void connect(const MapShape& shape) override { lists_.connect(shape); }
  void entered(std::uint32_t slot, std::uint64_t page) override { lists_.enter(slot, page); }
  void used(std::uint32_t slot) override { lists_.use(slot); }
  void left(std::uint32_t slot) override { lists_.leave(slot); }
  std::uint32_t victim() const override { return lists_.oldest(); }
  MapRange loads(std::uint64_t /*page*/, const MapRange& all) const override { return all; }
  void serialize(Archive& archive) override { archive(lists_); }

 private:
  EntryLists lists_;
};

extern const PolicyDescriptor kPolicy_lru_pages{
    PolicyKind::map_replacement, "lru_pages",
    "loads the whole translation page, evicts the least recently used one's entries",
    "Jiang, Zhang et al., S-FTL, MSST 2011, without its compressed pages; from memory",
    make_policy<LruPages>};

}  // namespace hmsim
