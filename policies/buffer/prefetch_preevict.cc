// SPDX-License-Identifier: BSD-3-Clause
#include "policies/buffer/lookahead_rules.h"

namespace hmsim {

// Combines prefetch and preevict: fetches pages of queued reads and keeps frames free for queued
// writes.
class PrefetchPreevict final : public BufferManager {
 public:
  void declare(ParameterSet& parameters) override { free_.declare(parameters); }
  bool prefetch(const PrefetchView& view) const override { return may_prefetch(view); }
  std::uint64_t frames_to_keep_free(const WritePartView& view) override {
    return free_.wanted(view);
  }

 private:
  FreeFrames free_;
};

extern const PolicyDescriptor kPolicy_prefetch_preevict{
    PolicyKind::buffer_manager, "prefetch_preevict", "prefetch and preevict together",
    "the paper, section V-B", make_policy<PrefetchPreevict>};

}  // namespace hmsim
