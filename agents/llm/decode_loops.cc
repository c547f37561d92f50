// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_loops.h"

namespace hmsim {

std::uint64_t StepLoops::passes(std::size_t level, const Place& place) const {
  switch (level) {
    case kStage:
      return view_.keys->stages();
    case kOwner:
      return std::uint64_t{1} + view_.sequences->size();
    case kItem:
      return items(place[kStage], place[kOwner]);
    default:
      return place[kStage] == 0 || place[kOwner] == 0 ? 1 : 2;
  }
}

std::uint64_t StepLoops::items(std::uint32_t stage, std::uint32_t owner) const {
  const bool weights = tier_ == view_.keys->weights;
  if (owner == 0) {
    return weights && stage > 0 ? 1 : 0;
  }
  const std::uint32_t sequence = owner - 1;
  if (stage == 0) {
    return weights ? view_.sequences->computed(sequence) : 0;
  }
  const Part part = part_of(sequence);
  return stage == view_.keys->head_stage() ? 0 : part.pages + (part.tokens > 0 ? 1 : 0);
}

// Returns what each layer reads of the sequence in this tier.
StepLoops::Part StepLoops::part_of(std::uint32_t sequence) const {
  if (view_.sequences->prefills()) {
    return {};
  }
  const std::uint64_t tokens = view_.sequences->tokens(sequence);
  return {tier_ == view_.keys->kv ? tokens / view_.page_tokens() : 0,
          tier_ == Tier::fast ? tokens % view_.page_tokens() : 0};
}

Extent StepLoops::extent(const Place& place) const {
  const Model& model = view_.keys->model;
  const std::uint32_t stage = place[kStage];
  if (place[kOwner] == 0) {
    const bool head = stage == view_.keys->head_stage();
    return {head ? view_.layout->head() : view_.layout->layer(stage - 1),
            head ? model.head_bytes() : model.layer_bytes(), stage};
  }
  if (stage == 0) {
    return {view_.layout->row(view_.sequences->draw_word()), model.row_bytes(), stage, kNoIndex,
            DataKind::embedding};
  }
  const std::uint32_t sequence = place[kOwner] - 1;
  const Part part = part_of(sequence);
  return place[kItem] < part.pages ? view_.page(stage, place[kHalf], sequence, place[kItem])
                                   : view_.tail(stage, place[kHalf], sequence, 0, part.tokens);
}

}  // namespace hmsim
