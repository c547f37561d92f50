// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/wear_counts.h"

namespace hmsim {

WearCounts::WearCounts(std::uint64_t places)
    : places_(places), groups_(static_cast<std::size_t>(places / (kPlaces * kChunks) + 1)) {}

std::uint32_t& WearCounts::index_of(std::uint64_t chunk) {
  Group& group = groups_[static_cast<std::size_t>(chunk / kChunks)];
  if (group.empty()) {
    group.assign(kChunks, kNoIndex);
  }
  return group[static_cast<std::size_t>(chunk % kChunks)];
}

std::uint64_t WearCounts::add(std::uint64_t place) {
  std::uint32_t& index = index_of(place / kPlaces);
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  std::uint8_t& count = chunks_[index][static_cast<std::size_t>(place % kPlaces)];
  if (count < kMost) {
    return ++count;
  }
  std::uint32_t more = beyond_of_.find(static_cast<std::int64_t>(place));
  if (more == kNoIndex) {
    more = static_cast<std::uint32_t>(beyond_.size());
    beyond_.emplace_back(place, 0);
    beyond_of_.insert(static_cast<std::int64_t>(place), more);
  }
  return kMost + ++beyond_[more].second;
}

void WearCounts::serialize(Archive& archive) {
  std::vector<std::uint64_t> numbers(chunks_.size());  // by index
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (std::size_t chunk = 0; chunk < groups_[group].size(); ++chunk) {
      if (groups_[group][chunk] != kNoIndex) {
        numbers[groups_[group][chunk]] = group * kChunks + chunk;
      }
    }
  }
  archive(numbers, beyond_);
  if (archive.loading()) {
    groups_.assign(groups_.size(), {});
    chunks_.resize(numbers.size());
    beyond_of_.clear();
  }
  if (!chunks_.empty()) {
    archive.raw(chunks_.data(), chunks_.size() * kPlaces);
  }
  if (!archive.loading()) {
    return;
  }
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    archive.check(numbers[index] <= places_ / kPlaces, "wear of invalid places");
    index_of(numbers[index]) = static_cast<std::uint32_t>(index);
  }
  for (std::uint32_t more = 0; more < beyond_.size(); ++more) {
    beyond_of_.insert(static_cast<std::int64_t>(beyond_[more].first), more);
  }
}

}  // namespace hmsim
