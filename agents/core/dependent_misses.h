// SPDX-License-Identifier: BSD-3-Clause
// Decides which misses depend on the one before, for traces that do not record it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/archive.h"
#include "core/random.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Source whose loads depend, with a given probability, on the load before.
class DependentMisses final : public MissSource {
 public:
  // dependence: probability, 0 to 1; stream: distinguishes agents of one seed.
  DependentMisses(std::unique_ptr<MissSource> source, double dependence, std::uint64_t seed,
                  std::uint64_t stream)
      : source_(std::move(source)),
        chance_(chance_of(dependence)),
        seed_(seed),
        stream_(stream),
        random_(seed, stream) {}

  // Returns a probability in the unit of Random::chance().
  static std::uint64_t chance_of(double probability) {
    constexpr double kTwoTo32 = 4294967296.0;
    return static_cast<std::uint64_t>(probability * kTwoTo32);
  }

  bool next(Miss& miss) override { return decide(source_->next(miss), miss); }

  bool seek(std::uint64_t instructions, Miss& miss) override {
    return decide(source_->seek(instructions, miss), miss);
  }

  bool has_nvdimm() const override { return source_->has_nvdimm(); }

  void rewind() override {
    source_->rewind();
    random_ = Random(seed_, stream_);
  }

  double fraction() const override { return source_->fraction(); }

  void serialize(Archive& archive) override {
    source_->serialize(archive);
    archive(random_);
  }

 private:
  bool decide(bool have, Miss& miss) {
    miss.dependent = have && miss.load && random_.chance(chance_);
    return have;
  }

  std::unique_ptr<MissSource> source_;
  std::uint64_t chance_;
  std::uint64_t seed_;
  std::uint64_t stream_;
  Random random_;
};

}  // namespace hmsim
