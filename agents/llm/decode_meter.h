// SPDX-License-Identifier: BSD-3-Clause
// Statistics of decoding: time to the next token and what it waited for, and bytes by tier and
// kind. All counts stop at the agent's first finish.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/llm/decode_keys.h"
#include "agents/llm/walk.h"
#include "core/archive.h"
#include "core/statistics.h"

namespace hmsim {

// Activity of a step at a moment. dram, nvdimm, both: it waits for reads of the stage to be
// computed next. writes: it waits for writes and trims of the step before.
enum class StepPart : std::uint8_t { compute, dram, nvdimm, both, writes, last = writes };
inline constexpr std::size_t kStepParts = static_cast<std::size_t>(StepPart::last) + 1;

class DecodeMeter {
 public:
  DecodeMeter() = default;
  explicit DecodeMeter(const DecodeKeys& keys);

  // Counting stops when false.
  void set_counting(bool counting) { counting_ = counting; }
  bool counting() const { return counting_; }

  void begin_step(Tick now);
  // From `now` on, the step does this.
  void enter(StepPart part, Tick now) {
    step_.parts[static_cast<std::size_t>(part_)] += static_cast<Counter>((now - since_).value());
    part_ = part;
    since_ = now;
  }
  void end_embedding(Tick now) { step_.layers_begun = step_.layers_ended = now; }
  // Call at the end of each layer, in order.
  void end_layer(Tick now) {
    step_.layer.add(now - step_.layers_ended);
    step_.layers_ended = now;
  }
  void end_step(bool prefill, Tick now);

  void moved(const Extent& extent, Tier tier, bool write) {
    if (counting_) {
      bytes_[write ? 1 : 0][index_of(tier)][static_cast<std::size_t>(extent.kind)] += extent.bytes;
      if (!write && extent.sequence < kv_read_.size()) {
        kv_read_[extent.sequence] += extent.bytes;
      }
    }
  }
  void trimmed(const Extent& extent) { trimmed_ += counting_ ? extent.bytes : 0; }
  void ended(std::uint64_t sequences) { ended_ += counting_ ? sequences : 0; }

  // Registers statistics under `path`, such as "agent.0".
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

 private:
  static constexpr std::size_t kMostSequences = 64;  // with statistics of their own

  using Parts = std::array<Counter, kStepParts>;  // picoseconds
  // The shortest and the longest of some times.
  struct Range {
    Tick least = kNever;
    Tick most{0};
    void add(Tick time) {
      least = std::min(least, time);
      most = std::max(most, time);
    }
    void serialize(Archive& archive) { archive(least, most); }
  };
  struct Step {
    Tick begun{0};
    Tick layers_begun{0};
    Tick layers_ended{0};
    Range layer;
    bool measured = true;  // as a whole
    Parts parts{};
    void serialize(Archive& archive) {
      archive(begun, layers_begun, layers_ended, layer, measured, parts);
    }
  };
  // Sums over the measured steps.
  struct Sums {
    Parts parts{};               // of decode steps
    Counter layers = 0;          // of these, picoseconds from the first layer to the last
    Range layer;                 // of these: the time of a layer
    Counter prefill_layers = 0;  // picoseconds of prefills, of their layers
    Counter heads = 0;           // steps and prefills: reads of the output head
    void serialize(Archive& archive) { archive(parts, layers, layer, prefill_layers, heads); }
  };

  void register_bytes(StatisticRegistry& registry, const std::string& path);
  void register_scaled(StatisticRegistry& registry, const std::string& path);
  double all_parts() const;
  // Scales time or bytes of the simulated layers to all layers.
  double to_all(Counter simulated) const;
  double scaled_bytes(bool write) const;
  double scaled_rate() const;
  // Returns the mean time of a step, in microseconds, if all layers of all steps took `layers`
  // picoseconds.
  double scaled_time(double layers) const;
  // Returns the picoseconds of all layers of all steps, if each layer took `layer`.
  double layers_of(Tick layer) const;

  DecodeKeys keys_;
  bool counting_ = true;
  StepPart part_ = StepPart::writes;
  Tick since_{0};
  Step step_;
  Sums sums_;
  Histogram step_time_;  // picoseconds
  Histogram prefill_time_;
  std::array<std::array<std::array<Counter, kDataKinds>, kTiers>, 2> bytes_{};  // [write]
  std::vector<Counter> kv_read_;                                                // by sequence
  Counter trimmed_ = 0;
  Counter ended_ = 0;
};

}  // namespace hmsim
