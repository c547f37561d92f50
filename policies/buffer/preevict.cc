// SPDX-License-Identifier: BSD-3-Clause
#include "policies/buffer/lookahead_rules.h"

namespace hmsim {

// Writes pages back early so that queued writes find free frames.
class Preevict final : public BufferManager {
 public:
  void declare(ParameterSet& parameters) override { free_.declare(parameters); }
  std::uint64_t frames_to_keep_free(const WritePartView& view) override {
    return free_.wanted(view);
  }

 private:
  FreeFrames free_;
};

extern const PolicyDescriptor kPolicy_preevict{
    PolicyKind::buffer_manager, "preevict",
    "pages are written back early by idle LUNs, so that queued writes find free frames",
    "the paper, section V-B: from the addresses of queued commands", make_policy<Preevict>};

}  // namespace hmsim
