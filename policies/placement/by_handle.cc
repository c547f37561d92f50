// SPDX-License-Identifier: BSD-3-Clause
#include "policies/page_placement.h"

namespace hmsim {

// The writer separates pages. Copies of all streams share blocks.
class ByHandle final : public PagePlacement {
 public:
  void connect(const PlacementShape& shape) override { streams_ = shape.streams; }
  std::uint32_t host(const HostWrite& write) const override { return write.handle % streams_; }

 private:
  std::uint32_t streams_ = 1;
};

extern const PolicyDescriptor kPolicy_by_handle{
    PolicyKind::page_placement, "by_handle", "the stream that the writer's placement handle names",
    "Kang et al., The multi-streamed solid-state drive, HotStorage 2014", make_policy<ByHandle>};

}  // namespace hmsim
