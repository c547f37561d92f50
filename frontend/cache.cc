// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/cache.h"

#include <algorithm>

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

void Cache::Way::serialize(Archive& archive) { archive(bits_); }

Cache::Cache(const CacheLevelParameters& parameters)
    : ways_per_set_(static_cast<std::size_t>(parameters.ways)),
      set_mask_(static_cast<std::uint64_t>(parameters.size / kLineBytes / parameters.ways) - 1),
      ways_(static_cast<std::size_t>(parameters.size / kLineBytes)) {}

Cache::Way* Cache::find(std::uint64_t line) {
  Way* const set = &ways_[set_of(line)];
  if (set[0].holds(line)) {
    return set;
  }
  for (std::size_t i = 1; i < ways_per_set_; ++i) {
    if (set[i].holds(line)) {
      std::rotate(set, set + i, set + i + 1);
      return set;
    }
  }
  return nullptr;
}

bool Cache::contains(std::uint64_t line) const {
  const Way* const set = &ways_[set_of(line)];
  return std::any_of(set, set + ways_per_set_, [line](const Way& way) { return way.holds(line); });
}

Cache::Way Cache::insert(const Way& added) {
  Way* const set = &ways_[set_of(added.line())];
  const Way leaves = set[ways_per_set_ - 1];
  std::copy_backward(set, set + ways_per_set_ - 1, set + ways_per_set_);
  set[0] = added;
  return leaves;
}

void Cache::serialize(Archive& archive) {
  const std::size_t size = ways_.size();
  archive(ways_);
  ensure(ways_.size() == size, "core", Tick(0), -1, "a cache changed its size");
}

}  // namespace hmsim
