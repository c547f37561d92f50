// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "core/slot_list.h"
#include "policies/buffer_replacement.h"

namespace hmsim {

// Least recently used: the frame whose latest use ended first.
class Lru final : public BufferReplacement {
 public:
  void connect(std::uint64_t /*capacity*/) override {}
  void grow(std::uint32_t count) override { links_.resize(count); }

  void listed(std::uint32_t frame, std::int64_t /*key*/) override {
    by_age_.push_back(links_, frame);
  }
  void unlisted(std::uint32_t frame) override { by_age_.remove(links_, frame); }

  std::uint32_t victim() const override { return by_age_.first; }
  std::uint32_t after(std::uint32_t frame) const override { return links_[frame].next; }

  void serialize(Archive& archive) override { archive(links_, by_age_); }

 private:
  std::vector<SlotLink> links_;
  SlotList by_age_;  // oldest first
};

extern const PolicyDescriptor kPolicy_lru;
const PolicyDescriptor kPolicy_lru{PolicyKind::buffer_replacement, "lru",
                                   "the least recently used frame goes first",
                                   "the paper, section III", make_policy<Lru>};

}  // namespace hmsim
