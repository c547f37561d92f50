// SPDX-License-Identifier: BSD-3-Clause
// Agent kind pattern: a closed loop of requests with set values of the characteristics that the
// harmonic policy measures (policies/monitors/). Used to train the policy's tables.
#pragma once

#include <array>
#include <cstdint>

#include "agents/stream/stream_agent.h"
#include "core/random.h"

namespace hmsim {

// Chooses a given share of steps, evenly spaced: share x n of any n.
class Spread {
 public:
  explicit Spread(double share = 0)
      : share_(static_cast<std::uint64_t>(share * static_cast<double>(kUnit))) {}
  bool due() const { return owed_ >= kUnit; }
  void step() { owed_ += share_; }
  void take() { owed_ -= kUnit; }
  bool next() {
    step();
    const bool chosen = due();
    owed_ -= chosen ? kUnit : 0;
    return chosen;
  }
  void serialize(Archive& archive) { archive(owed_); }

 private:
  static constexpr std::uint64_t kUnit = std::uint64_t{1} << 32;
  std::uint64_t share_;
  std::uint64_t owed_ = 0;
};

// Generator of DRAM lines. Contexts take turns, and each walks at the given stride, so the distance
// between its successive requests is the stride. If a row holds at least two strides, a context
// walks on; otherwise it alternates between two rows. A turn ends when no further request to a
// recently used row is required.
class DramWalk {
 public:
  DramWalk() = default;
  DramWalk(std::uint64_t lines, std::uint64_t stride, double reuse, Random random);
  StreamRequest next();
  void serialize(Archive& archive);

 private:
  static constexpr std::size_t kContexts = 64;  // more than the rows that monitors remember
  static constexpr std::uint64_t kRowLines = 128;
  struct Context {
    std::uint64_t base = 0;  // line
    std::uint64_t step = 0;
    void serialize(Archive& archive) { archive(base, step); }
  };

  std::uint64_t lines_ = 1;
  std::uint64_t stride_ = 1;
  bool alternates_ = false;
  Spread reuse_;
  std::array<Context, kContexts> contexts_{};
  std::size_t current_ = 0;
  int fresh_ = 0;  // requests of this turn to rows not used recently
};

// Generator of NVDIMM lines. It reads or writes whole pages, line by line. Each page follows the
// last one of the same operation, or is random.
class PageWalk {
 public:
  PageWalk() = default;
  PageWalk(std::uint64_t pages, double write_ratio, double write_randomness, double read_randomness,
           Random random);
  StreamRequest next();
  void serialize(Archive& archive);

 private:
  std::uint64_t pages_ = 1;
  Spread writes_;
  std::array<Spread, 2> jumps_;  // of reads, of writes
  std::array<std::uint64_t, 2> last_{};
  Random random_;
  bool write_ = false;
  int line_ = 0;  // the next line of the page
};

class PatternAgent final : public StreamAgent {
 public:
  explicit PatternAgent(const FrontendParameters&) { requests_ = 60'000; }

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  Bounds open() override;
  bool next(StreamRequest& request) override;
  void rewind() override;
  double source_fraction() const override { return 0; }
  void serialize_source(Archive& archive) override { archive(dram_, nvdimm_); }

  std::int64_t outstanding_limit_ = 32;
  std::int64_t stride_ = 1;
  double reuse_ = 0.5;
  double write_ratio_ = 0;
  double write_randomness_ = 0;
  double read_randomness_ = 0;

  DramWalk dram_;
  PageWalk nvdimm_;
};

}  // namespace hmsim
