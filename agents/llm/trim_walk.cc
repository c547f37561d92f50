// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/trim_walk.h"

namespace hmsim {

bool TrimWalk::next(Extent& extent) {
  if (view_.keys->kv == Tier::fast) {
    return false;
  }
  for (; sequence_ < view_.sequences->size(); ++sequence_, page_ = 0) {
    if (!view_.sequences->ended(sequence_)) {
      continue;
    }
    if (page_ < view_.sequences->whole_pages(sequence_)) {
      extent = view_.page(stage_, half_, sequence_, page_);
      extent.stage = 0;
      half_ = 1 - half_;
      stage_ += half_ == 0 ? 1 : 0;
      if (stage_ == view_.keys->head_stage()) {
        stage_ = 1;
        ++page_;
      }
      return true;
    }
  }
  return false;
}

void TrimWalk::serialize(Archive& archive) {
  archive(sequence_, page_, stage_, half_);
  archive.check(stage_ >= 1 && stage_ < view_.keys->head_stage() && half_ <= 1,
                "invalid place in the trims of a sequence");
}

}  // namespace hmsim
