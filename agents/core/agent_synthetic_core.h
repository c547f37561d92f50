// SPDX-License-Identifier: BSD-3-Clause
// Agent kind synthetic_core: a core whose misses are generated at given rates.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/core/miss_agent.h"
#include "core/random.h"

namespace hmsim {

enum class MissPattern { pointer_chase, stream, random };

// Source that spaces reads and writes evenly. For every n, the first n instructions contain exactly
// floor(n x rate / 10^6) reads and floor(n x rate / 10^6) writes, each with its own rate.
class SyntheticMisses final : public MissSource {
 public:
  struct Settings {
    std::int64_t reads = 0;   // per 10^6 instructions, at most 10^6
    std::int64_t writes = 0;  // the same unit; not both 0
    MissPattern pattern = MissPattern::random;
    std::uint64_t lines = 1;       // footprint
    std::uint64_t dependence = 0;  // probability x 2^32 that a load depends on the load before
    std::uint64_t seed = 1;
    std::uint64_t stream = 0;  // distinguishes agents of one seed
  };

  explicit SyntheticMisses(const Settings& settings);

  bool next(Miss& miss) override;  // always true
  void rewind() override;
  double fraction() const override { return 0; }
  void serialize(Archive& archive) override;

 private:
  std::uint64_t line(std::uint64_t sequential);

  Settings settings_;
  Random random_;
  std::int64_t instruction_ = 0;
  std::int64_t reads_ = 0;  // generated
  std::int64_t writes_ = 0;
};

class SyntheticCore final : public MissAgent {
 public:
  explicit SyntheticCore(const FrontendParameters& defaults);

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  std::unique_ptr<MissSource> open_source() override;

  double rpki_ = 10;
  double wpki_ = 3;
  MissPattern pattern_ = MissPattern::random;
  Bytes footprint_{std::int64_t{512} << 20};
  double dependence_ = 1;
};

}  // namespace hmsim
