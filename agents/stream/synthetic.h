// SPDX-License-Identifier: BSD-3-Clause
// Kind synthetic: generated requests, straight into the controller.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/stream/stream_agent.h"
#include "core/random.h"

namespace hmsim {

enum class RequestPattern { sequential, random, strided };

class Synthetic final : public StreamAgent {
 public:
  explicit Synthetic(const FrontendParameters&) { requests_ = 100'000; }

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  Bounds open() override;
  bool next(StreamRequest& request) override;
  void rewind() override;
  double source_fraction() const override { return 0; }
  void serialize_source(Archive& archive) override;

  RequestPattern pattern_ = RequestPattern::random;
  double read_ratio_ = 1;
  Bytes offset_{0};
  Bytes footprint_{std::int64_t{64} << 20};
  Bytes stride_{4'096};
  std::int64_t outstanding_limit_ = 32;
  Tick interval_{0};

  std::uint64_t lines_ = 1;        // in the footprint
  std::uint64_t read_chance_ = 0;  // x 2^32
  Random random_;
  std::uint64_t position_ = 0;  // line, of the next sequential or strided request
  std::uint64_t shift_ = 0;     // of a strided round against the first
  Tick due_{0};
};

extern const AgentDescriptor kSyntheticAgent;

}  // namespace hmsim
