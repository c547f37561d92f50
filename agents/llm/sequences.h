// SPDX-License-Identifier: BSD-3-Clause
// Sequences of a batch: their lengths, their words, and their pages of keys and values (block
// tables). A page has the same number in all layers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agents/llm/decode_keys.h"
#include "core/archive.h"
#include "core/errors.h"
#include "core/random.h"
#include "core/slot_claims.h"

namespace hmsim {

class Sequences {
 public:
  Sequences() = default;
  // `pages` orders the free pages.
  Sequences(const DecodeKeys& keys, Random pages, Random words)
      : keys_(keys),
        first_page_(pages),
        first_word_(words),
        all_(static_cast<std::size_t>(keys.batch)) {
    rewind();
  }

  // Begins a pass: every sequence is new, and every page free. Random numbers begin again.
  // With `output`, the sequences of a batch end one after another, at equal distances.
  void rewind() {
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

  // Begins a step: a prefill of the new sequences, if the keys ask for it, or a decode step of all.
  // Gives each sequence the pages that the step reads and writes.
  void begin_step() {
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

  void end_step() {
    const std::uint64_t generated = prefills_ ? 0 : 1;
    for (Sequence& each : all_) {
      each.tokens += generated;
      each.generated += generated;
      each.is_new = false;
    }
  }

  // Replaces every ended sequence by a new one. Returns their number.
  std::uint64_t replace_ended() {
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

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  // Return the whole pages of cached keys and values, and the tokens of the page after them.
  std::uint64_t whole_pages(std::uint32_t sequence) const {
    return all_[sequence].tokens / static_cast<std::uint64_t>(keys_.page_tokens);
  }
  std::uint64_t rest(std::uint32_t sequence) const {
    return all_[sequence].tokens % static_cast<std::uint64_t>(keys_.page_tokens);
  }
  std::uint32_t page(std::uint32_t sequence, std::uint64_t index) const {
    const std::vector<std::uint32_t>& pages = all_[sequence].pages;
    ensure(index < pages.size(), "llm_decode", Tick(0), sequence, "page that it does not have");
    return pages[index];
  }
  bool ended(std::uint32_t sequence) const {
    return all_[sequence].generated >= static_cast<std::uint64_t>(keys_.lifetime());
  }
  // Draws the word of a token.
  std::uint64_t draw_word() {
    return words_.below(static_cast<std::uint64_t>(keys_.model.shape.vocabulary));
  }
  bool prefills() const { return prefills_; }  // the step is a prefill
  // Returns the tokens that the step computes.
  std::uint64_t computed(std::uint32_t sequence) const {
    return !prefills_ ? 1 : all_[sequence].is_new ? all_[sequence].tokens : 0;
  }

  void serialize(Archive& archive) {
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

 private:
  struct Sequence {
    std::uint64_t tokens = 0;
    std::uint64_t generated = 0;
    bool is_new = true;
    std::vector<std::uint32_t> pages = {};
    void serialize(Archive& archive) { archive(tokens, generated, is_new, pages); }
  };

  // Returns the pages of all sequences at their longest.
  std::size_t pages() const { return all_.size() * keys_.pages_of(keys_.most_tokens()); }

  DecodeKeys keys_;
  Random first_page_;
  Random first_word_;
  Random words_;
  std::vector<Sequence> all_;
  std::vector<std::uint32_t> free_;  // the last page is taken first
  bool prefills_ = false;
};

}  // namespace hmsim
