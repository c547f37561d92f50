// SPDX-License-Identifier: BSD-3-Clause
// Sequences of a batch: their lengths and their pages.
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
  Sequences(const DecodeKeys& keys, Random random);

  void rewind();
  // Gives each sequence the pages that its next step reads and writes.
  void extend();
  // Records a prefill of all new sequences, or a generated token of every sequence.
  void end_prefill();
  void end_step();
  bool any_ended() const;
  // Replaces every ended sequence by a new one. Returns their number.
  std::uint64_t replace_ended();

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  // Returns the tokens whose keys and values are cached.
  std::uint64_t tokens(std::uint32_t sequence) const { return all_[sequence].tokens; }
  bool is_new(std::uint32_t sequence) const { return all_[sequence].is_new; }
  bool ended(std::uint32_t sequence) const { return all_[sequence].generated >= lifetime_; }
  bool any_new() const;
  std::uint64_t new_tokens() const;  // of new sequences
  std::uint64_t new_sequences() const;
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
  KvPages pages_;
};

}  // namespace hmsim
