// SPDX-License-Identifier: BSD-3-Clause
// Decides which misses depend on the one before, for traces that do not record it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/random.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Source whose loads depend, with a given probability, on the load before.
class DependentMisses final : public MissSource {
 public:
  // dependence: probability, 0 to 1; stream: distinguishes agents of one seed.
  DependentMisses(std::unique_ptr<MissSource> source, double dependence, std::uint64_t seed,
                  std::uint64_t stream);

  // Returns a probability in the unit of Random::chance().
  static std::uint64_t chance_of(double probability);

  bool next(Miss& miss) override;
  bool seek(std::uint64_t instructions, Miss& miss) override;
  bool has_nvdimm() const override { return source_->has_nvdimm(); }
  void rewind() override;
  double fraction() const override { return source_->fraction(); }
  void serialize(Archive& archive) override;

 private:
  std::unique_ptr<MissSource> source_;
  std::uint64_t chance_;
  std::uint64_t seed_;
  std::uint64_t stream_;
  Random random_;
};

}  // namespace hmsim
