// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/sequences.h"

#include <algorithm>

namespace hmsim {

Sequences::Sequences(const DecodeKeys& keys, Random pages, Random words)
    : keys_(keys),
      lifetime_(static_cast<std::uint64_t>(keys.lifetime())),
      all_(static_cast<std::size_t>(keys.batch)),
      pages_(all_.size(), keys.pages_of(keys.most_tokens()), pages),
      first_word_(words) {
  rewind();
}

// With `output`, the sequences of a batch end one after another, at equal distances.
void Sequences::rewind() {
  pages_.rewind();
  words_ = first_word_;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const std::uint64_t generated = static_cast<std::uint64_t>(keys_.output) * i / all_.size();
    all_[i] = {static_cast<std::uint64_t>(keys_.context) + generated, generated, true};
  }
}

void Sequences::begin_step() {
  prefills_ = false;
  for (std::uint32_t i = 0; i < size(); ++i) {
    prefills_ = prefills_ || (keys_.prefill && all_[i].is_new);
    pages_.extend(i, keys_.pages_of(static_cast<std::int64_t>(all_[i].tokens) + 1));
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

bool Sequences::any_ended() const {
  return std::any_of(all_.begin(), all_.end(),
                     [this](const Sequence& each) { return each.generated >= lifetime_; });
}

std::uint64_t Sequences::replace_ended() {
  std::uint64_t replaced = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (ended(i)) {
      pages_.release(i);
      all_[i] = {static_cast<std::uint64_t>(keys_.context), 0, true};
      ++replaced;
    }
  }
  return replaced;
}

void Sequences::serialize(Archive& archive) {
  archive.fixed(all_);
  archive(pages_, words_, prefills_);
  if (archive.loading()) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      const auto tokens = static_cast<std::int64_t>(all_[i].tokens);
      archive.check(tokens >= 0 && tokens <= keys_.most_tokens(), "sequence of invalid length");
    }
  }
}

}  // namespace hmsim
