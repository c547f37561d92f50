// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/sequences.h"

#include <utility>

#include "core/slot_claims.h"

namespace hmsim {

Sequences::Sequences(const DecodeKeys& keys, Random pages, Random words)
    : keys_(keys),
      first_page_(pages),
      first_word_(words),
      all_(static_cast<std::size_t>(keys.batch)) {
  rewind();
}

// With `output`, the sequences of a batch end one after another, at equal distances.
void Sequences::rewind() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const std::uint64_t generated = static_cast<std::uint64_t>(keys_.output) * i / all_.size();
    all_[i] = {static_cast<std::uint64_t>(keys_.context) + generated, generated, true};
  }
  words_ = first_word_;
  Random random = first_page_;
  free_.resize(pages());
  for (std::size_t i = 0; i < free_.size(); ++i) {
    free_[i] = static_cast<std::uint32_t>(i);
    std::swap(free_[i], free_[random.below(i + 1)]);
  }
}

void Sequences::begin_step() {
  prefills_ = false;
  for (Sequence& each : all_) {
    prefills_ = prefills_ || (keys_.prefill && each.is_new);
    while (each.pages.size() < keys_.pages_of(static_cast<std::int64_t>(each.tokens) + 1)) {
      ensure(!free_.empty(), "llm_decode", Tick(0), 0, "sequence beyond its longest context");
      each.pages.push_back(free_.back());
      free_.pop_back();
    }
  }
}

void Sequences::end_step() {
  const std::uint64_t generated = prefills_ ? 0 : 1;
  for (Sequence& each : all_) {
    each.tokens += generated;
    each.generated += generated;
    each.is_new = false;
  }
}

std::uint64_t Sequences::replace_ended() {
  std::uint64_t replaced = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (ended(i)) {
      free_.insert(free_.end(), all_[i].pages.rbegin(), all_[i].pages.rend());
      all_[i] = {static_cast<std::uint64_t>(keys_.context), 0, true};
      ++replaced;
    }
  }
  return replaced;
}

void Sequences::serialize(Archive& archive) {
  archive.fixed(all_);
  archive(free_, words_, prefills_);
  if (archive.loading()) {
    SlotClaims claims(archive, pages(), "page of a sequence held twice, or invalid page");
    const auto claim = [&claims](const std::vector<std::uint32_t>& pages) {
      for (const std::uint32_t page : pages) {
        claims.claim(page);
      }
    };
    claim(free_);
    for (const Sequence& each : all_) {
      claim(each.pages);
      archive.check(each.tokens <= static_cast<std::uint64_t>(keys_.most_tokens()),
                    "sequence of invalid length");
    }
    claims.check(claims.all());
  }
}

}  // namespace hmsim
