// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/write_walk.h"

namespace hmsim {

void WriteWalk::begin() {
  stage_ = 1;
  sequence_ = 0;
  page_ = 0;
  tail_done_ = false;
  half_ = 0;
}

bool WriteWalk::next(Extent& extent) {
  for (; stage_ < view_.keys->head_stage(); ++stage_, sequence_ = 0) {
    for (; sequence_ < view_.sequences->size(); ++sequence_) {
      if (next_of_sequence(extent)) {
        return true;
      }
      page_ = 0;
      tail_done_ = false;
    }
  }
  return false;
}

// Makes the next write of the sequence. A decode step writes its token, then its page if the token
// completes it. A prefill writes whole pages, then the rest.
bool WriteWalk::next_of_sequence(Extent& extent) {
  const std::uint64_t tokens = view_.sequences->tokens(sequence_);
  const std::uint64_t whole = tokens / view_.page_tokens();
  const std::uint64_t rest = tokens % view_.page_tokens();
  const bool prefill = view_.sequences->prefills();
  if (view_.sequences->computed(sequence_) == 0) {
    return false;
  }
  const bool completes = view_.keys->kv != Tier::fast && rest + 1 == view_.page_tokens();
  const std::uint64_t first = prefill ? 0 : whole;
  const std::uint64_t pages = prefill ? whole : (completes ? 1 : 0);
  if (tier_ == view_.keys->kv && page_ < pages) {
    extent = view_.page(stage_, half_, sequence_, first + page_);
    half_ = 1 - half_;
    page_ += half_ == 0 ? 1 : 0;
    return true;
  }
  const std::uint64_t before = prefill ? 0 : rest;
  const std::uint64_t count = prefill ? rest : 1;
  if (tier_ == Tier::fast && !tail_done_ && count > 0) {
    extent = view_.tail(stage_, half_, sequence_, before, count);
    half_ = 1 - half_;
    tail_done_ = half_ == 0;
    return true;
  }
  return false;
}

void WriteWalk::serialize(Archive& archive) {
  archive(stage_, sequence_, page_, tail_done_, half_);
  archive.check(stage_ >= 1 && half_ <= 1, "invalid place in the writes of a decode step");
}

}  // namespace hmsim
