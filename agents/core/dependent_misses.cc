// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/dependent_misses.h"

#include <utility>

#include "core/archive.h"

namespace hmsim {

DependentMisses::DependentMisses(std::unique_ptr<MissSource> source, double dependence,
                                 std::uint64_t seed, std::uint64_t stream)
    : source_(std::move(source)),
      chance_(chance_of(dependence)),
      seed_(seed),
      stream_(stream),
      random_(seed, stream) {}

std::uint64_t DependentMisses::chance_of(double probability) {
  constexpr double kTwoTo32 = 4294967296.0;
  return static_cast<std::uint64_t>(probability * kTwoTo32);
}

bool DependentMisses::next(Miss& miss) {
  const bool have = source_->next(miss);
  miss.dependent = have && miss.load && random_.chance(chance_);
  return have;
}

bool DependentMisses::seek(std::uint64_t instructions, Miss& miss) {
  const bool have = source_->seek(instructions, miss);
  miss.dependent = have && miss.load && random_.chance(chance_);
  return have;
}

void DependentMisses::rewind() {
  source_->rewind();
  random_ = Random(seed_, stream_);
}

void DependentMisses::serialize(Archive& archive) {
  source_->serialize(archive);
  archive(random_);
}

}  // namespace hmsim
