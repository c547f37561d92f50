// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_layout.h"

#include <string>

#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr auto kPage = static_cast<std::uint64_t>(kPageBytes.value());

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

const char* name_of(Tier tier) { return kTierNames[index_of(tier)]; }

bool fits(const DecodeKeys& keys, Tier tier, Bytes capacity) {
  return DecodeLayout(keys).used(tier) <= capacity;
}

// Key that a user may lower to make a model fit.
struct Lower {
  const char* name;
  std::int64_t DecodeKeys::*value;
};
constexpr Lower kLower[] = {{"context", &DecodeKeys::context},
                            {"batch", &DecodeKeys::batch},
                            {"output", &DecodeKeys::output},
                            {"layers_simulated", &DecodeKeys::layers_simulated}};

// Returns the largest value of a key with which the tier holds its data; 0: there is none.
std::int64_t largest(DecodeKeys keys, const Lower& key, Tier tier, Bytes capacity) {
  std::int64_t good = 0;
  for (std::int64_t bad = keys.*key.value; bad - good > 1;) {
    keys.*key.value = good + (bad - good) / 2;
    (fits(keys, tier, capacity) ? good : bad) = keys.*key.value;
  }
  return good;
}

}  // namespace

DecodeLayout::DecodeLayout(const DecodeKeys& keys)
    : layer_stride_(whole_pages(keys.model.layer_bytes())),
      row_bytes_(keys.model.row_bytes()),
      page_bytes_(keys.page_bytes()),
      batch_(static_cast<std::uint64_t>(keys.batch)) {
  const std::uint64_t halves = std::uint64_t{2} * keys.layers();
  head_ = keys.layers() * layer_stride_;
  rows_ = head_ + whole_pages(keys.model.head_bytes());
  used_[index_of(keys.weights)] =
      rows_ + whole_pages(static_cast<std::uint64_t>(keys.model.shape.vocabulary) * row_bytes_);
  pages_ = batch_ * keys.pages_of(keys.most_tokens());
  pages_at_ = used_[index_of(keys.kv)];
  used_[index_of(keys.kv)] += halves * pages_ * page_bytes_;
  gather_ = used_[index_of(Tier::fast)];
  if (keys.kv != Tier::fast) {
    used_[index_of(Tier::fast)] += halves * batch_ * page_bytes_;
  }
}

void DecodeLayout::check_fit(const DecodeKeys& keys, const std::array<Bytes, kTiers>& capacity,
                             const std::string& agent) {
  const DecodeLayout layout(keys);
  for (const Tier tier : {Tier::fast, Tier::slow}) {
    const Bytes has = capacity[index_of(tier)];
    if (layout.used(tier) <= has) {
      continue;
    }
    const std::string needs = ": weights, keys and values of " + std::to_string(keys.layers()) +
                              " layers need " + format_size(layout.used(tier)) + " of " +
                              name_of(tier) + ", which has " + format_size(has) + ": must be ";
    DecodeKeys lower = keys;
    lower.layers_simulated = keys.layers();
    for (const Lower& key : kLower) {
      if (const std::int64_t most = largest(lower, key, tier, has); most > 0) {
        throw InputError(std::string(agent)
                             .append(key.name)
                             .append(needs)
                             .append("at most ")
                             .append(std::to_string(most)));
      }
    }
    throw InputError(std::string(agent)
                         .append(keys.weights == tier ? "weights" : "kv")
                         .append(needs)
                         .append("'")
                         .append(name_of(tier == Tier::fast ? Tier::slow : Tier::fast))
                         .append("', or the memory larger"));
  }
}

}  // namespace hmsim
