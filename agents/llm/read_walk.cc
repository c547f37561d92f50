// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/read_walk.h"

namespace hmsim {

void ReadWalk::begin() {
  stage_ = 0;
  weights_done_ = false;
  sequence_ = 0;
  item_ = 0;
  half_ = 0;
}

void ReadWalk::end_stage() {
  ++stage_;
  weights_done_ = false;
  sequence_ = 0;
  item_ = 0;
  half_ = 0;
}

bool ReadWalk::next(Extent& extent) {
  while (stage_ < view_.keys->stages()) {
    if (stage_ == 0 ? next_row(extent) : next_weights(extent) || next_kv(extent)) {
      return true;
    }
    end_stage();
  }
  return false;
}

bool ReadWalk::next_row(Extent& extent) {
  if (tier_ != view_.keys->weights) {
    return false;
  }
  for (; sequence_ < view_.sequences->size(); ++sequence_, item_ = 0) {
    if (item_ < view_.sequences->computed(sequence_)) {
      ++item_;
      const auto words = static_cast<std::uint64_t>(view_.keys->model.shape.vocabulary);
      extent = {view_.layout->row(random_.below(words)), view_.keys->model.row_bytes(), stage_,
                kNoIndex, DataKind::embedding};
      return true;
    }
  }
  return false;
}

bool ReadWalk::next_weights(Extent& extent) {
  if (weights_done_ || tier_ != view_.keys->weights) {
    return false;
  }
  weights_done_ = true;
  const Model& model = view_.keys->model;
  const bool head = stage_ == view_.keys->head_stage();
  extent = {head ? view_.layout->head() : view_.layout->layer(stage_ - 1),
            head ? model.head_bytes() : model.layer_bytes(), stage_, kNoIndex, DataKind::weights};
  return true;
}

bool ReadWalk::next_kv(Extent& extent) {
  if (view_.sequences->prefills() || stage_ == view_.keys->head_stage()) {
    return false;
  }
  for (; sequence_ < view_.sequences->size(); ++sequence_, item_ = 0) {
    const std::uint64_t tokens = view_.sequences->tokens(sequence_);
    const std::uint64_t whole = tokens / view_.page_tokens();
    const std::uint64_t rest = tokens % view_.page_tokens();
    if (item_ < whole && tier_ != view_.keys->kv) {
      item_ = whole;
    }
    if (item_ > whole || (item_ == whole && (rest == 0 || tier_ != Tier::fast))) {
      continue;
    }
    extent = item_ < whole ? view_.page(stage_, half_, sequence_, item_)
                           : view_.tail(stage_, half_, sequence_, 0, rest);
    half_ = 1 - half_;
    item_ += half_ == 0 ? 1 : 0;
    return true;
  }
  return false;
}

void ReadWalk::serialize(Archive& archive) {
  archive(random_, stage_, weights_done_, sequence_, item_, half_);
  archive.check(stage_ <= view_.keys->stages() && half_ <= 1, "invalid place in a decode step");
}

}  // namespace hmsim
