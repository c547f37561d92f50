// SPDX-License-Identifier: BSD-3-Clause
// Sequences of a batch: their lengths, their words and their pages.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/llm/decode_keys.h"
#include "agents/llm/kv_pages.h"
#include "core/archive.h"

namespace hmsim {

class Sequences {
 public:
  Sequences() = default;
  Sequences(const DecodeKeys& keys, Random pages, Random words);

  // Begins a pass. Random numbers begin again.
  void rewind();
  // Begins a step: a prefill of the new sequences, if the keys ask for it, or a decode step of all.
  // Gives each sequence the pages that the step reads and writes.
  void begin_step();
  void end_step();
  bool any_ended() const;
  // Replaces every ended sequence by a new one. Returns their number.
  std::uint64_t replace_ended();

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  // Return the whole pages of cached keys and values, and the tokens of the page after them.
  std::uint64_t whole_pages(std::uint32_t sequence) const {
    return all_[sequence].tokens / static_cast<std::uint64_t>(keys_.page_tokens);
  }
  std::uint64_t rest(std::uint32_t sequence) const {
    return all_[sequence].tokens % static_cast<std::uint64_t>(keys_.page_tokens);
  }
  bool ended(std::uint32_t sequence) const { return all_[sequence].generated >= lifetime_; }
  // Draws the word of a token.
  std::uint64_t draw_word() {
    return words_.below(static_cast<std::uint64_t>(keys_.model.shape.vocabulary));
  }
  bool prefills() const { return prefills_; }  // the step is a prefill
  // Returns the tokens that the step computes.
  std::uint64_t computed(std::uint32_t sequence) const {
    return !prefills_ ? 1 : all_[sequence].is_new ? all_[sequence].tokens : 0;
  }
  const KvPages& pages() const { return pages_; }

  void serialize(Archive& archive);

 private:
  struct Sequence {
    std::uint64_t tokens = 0;
    std::uint64_t generated = 0;
    bool is_new = true;
    void serialize(Archive& archive) { archive(tokens, generated, is_new); }
  };

  DecodeKeys keys_;
  std::uint64_t lifetime_ = 0;
  std::vector<Sequence> all_;
  bool prefills_ = false;
  KvPages pages_;
  Random first_word_;
  Random words_;
};

}  // namespace hmsim
