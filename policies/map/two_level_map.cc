// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "policies/map/entry_lists.h"

namespace hmsim {

// The victim is found in time proportional to the cached entries of one translation page; writing
// one changed entry makes all others of its page clean.
class TwoLevelMap final : public MapReplacement {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("ahead", ahead_, {0, 65'536}, "entries",
                       {"following entries to load with a missing one", "assumed"});
  }
  void connect(const MapShape& shape) override {
    lists_.connect(shape);
    dirty_.assign(shape.entries, 0);
  }
  void entered(std::uint32_t slot, std::uint64_t page) override { lists_.enter(slot, page); }
  void used(std::uint32_t slot) override { lists_.use(slot); }
  void marked(std::uint32_t slot, bool dirty) override { dirty_[slot] = dirty ? 1 : 0; }
  void left(std::uint32_t slot) override { lists_.leave(slot); }
  std::uint32_t victim() const override {
    std::uint32_t slot = lists_.oldest();
    while (slot != kNoIndex && dirty_[slot] != 0) {
      slot = lists_.next(slot);
    }
    return slot == kNoIndex ? lists_.oldest() : slot;
  }
  MapRange loads(std::uint64_t page, const MapRange& all) const override {
    return {page, std::min<std::uint64_t>(static_cast<std::uint64_t>(ahead_) + 1,
                                          all.first + all.count - page)};
  }
  void serialize(Archive& archive) override {
    archive(lists_);
    archive.fixed(dirty_);
  }

 private:
  std::int64_t ahead_ = 8;
  EntryLists lists_;
  std::vector<std::uint8_t> dirty_;  // by slot
};

extern const PolicyDescriptor kPolicy_two_level_map{
    PolicyKind::map_replacement, "two_level_map",
    "loads some entries ahead, evicts from the least recently used translation page, clean entries "
    "first",
    "Zhou, Wu et al., TPFTL, EuroSys 2015, with a fixed number of entries ahead; from memory",
    make_policy<TwoLevelMap>};

}  // namespace hmsim
