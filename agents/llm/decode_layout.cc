// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_layout.h"

#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPageSize - 1) / kPageSize * kPageSize;
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
    (DecodeLayout(keys).used(tier) <= capacity ? good : bad) = keys.*key.value;
  }
  return good;
}

// Returns the message that the tier, with this capacity, does not hold `used`.
std::string misfit(DecodeKeys keys, Tier tier, Bytes used, Bytes capacity) {
  keys.layers_simulated = keys.layers();
  std::string key = keys.weights == tier ? "weights" : "kv";
  std::string advice =
      "'" + std::string(kTierNames[1 - index_of(tier)]) + "', or the memory larger";
  for (const Lower& lower : kLower) {
    if (const std::int64_t most = largest(keys, lower, tier, capacity); most > 0) {
      key = lower.name;
      advice = "at most " + std::to_string(most);
      break;
    }
  }
  return key + ": weights, keys and values of " + std::to_string(keys.layers()) + " layers need " +
         format_size(used) + " of " + kTierNames[index_of(tier)] + ", which has " +
         format_size(capacity) + ": must be " + advice;
}

}  // namespace

DecodeLayout::DecodeLayout(const DecodeKeys& keys)
    : layer_stride_(whole_pages(keys.model.layer_bytes())),
      rows_(weights(keys.layers()) + whole_pages(keys.model.head_bytes())),
      row_bytes_(keys.model.row_bytes()),
      page_bytes_(keys.page_bytes()),
      batch_(static_cast<std::uint64_t>(keys.batch)) {
  const std::uint64_t halves = std::uint64_t{2} * keys.layers();
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
  for (const Tier tier : {Tier::fast, Tier::slow}) {
    const Bytes used = DecodeLayout(keys).used(tier);
    if (const Bytes has = capacity[index_of(tier)]; used > has) {
      throw InputError(agent + misfit(keys, tier, used, has));
    }
  }
}

}  // namespace hmsim
