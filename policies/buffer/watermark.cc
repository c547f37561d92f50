// SPDX-License-Identifier: BSD-3-Clause
#include "policies/buffer/lookahead_rules.h"

namespace hmsim {

// Writes pages back from the time that more frames than the high mark are in use until no more than
// the low mark are. Between and below the marks, dirty pages stay, so that later writes to them
// need no program of their own.
class Watermark final : public BufferManager {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.real("high", high_, 0, 100, "percent of the write part",
                    {"dirty pages above which idle LUNs write pages back", kSource});
    parameters.real("low", low_, 0, 100, "percent of the write part",
                    {"dirty pages at which they stop", kSource});
  }
  std::vector<ParameterError> check() const override {
    if (low_ > high_) {
      return {{"low", "must be at most policies.watermark.high, the mark at which it starts"}};
    }
    return {};
  }
  std::uint64_t frames_to_keep_free(const WritePartView& view) override {
    const std::uint64_t used = view.frames - view.free;
    const std::uint64_t low = frames_of(low_, view.frames);
    writes_back_ = used > (writes_back_ ? low : frames_of(high_, view.frames));
    return writes_back_ ? view.frames - low : 0;
  }
  void serialize(Archive& archive) override { archive(writes_back_); }

 private:
  static constexpr const char* kSource =
      "assumed: the default of Linux's dm-writecache (writecache.rst)";

  double high_ = 50;
  double low_ = 45;
  bool writes_back_ = false;
};

extern const PolicyDescriptor kPolicy_watermark{
    PolicyKind::buffer_manager, "watermark",
    "idle LUNs write dirty pages back between two marks, so that bursts of writes find free frames",
    "marks as in Linux's dm-writecache", make_policy<Watermark>};

}  // namespace hmsim
