// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_meter.h"

#include <algorithm>
#include <numeric>

namespace hmsim {

namespace {

constexpr std::array<const char*, kDataKinds> kKindNames{"weights", "embedding", "kv", "gather"};

struct Text {
  const char* name;
  const char* text;
};
constexpr std::array<Text, kStepParts> kParts{{
    {"compute", "share of the steps' time in which a stage is computed"},
    {"dram", "share in which the next stage waits for DRAM alone"},
    {"nvdimm", "share in which the next stage waits for the NVDIMM or storage alone"},
    {"both", "share in which the next stage waits for both memories"},
    {"writes", "share in which the step waits for writes and trims of the step before"},
}};

template <class Counters>
Counter sum(const Counters& counters) {
  return std::accumulate(counters.begin(), counters.end(), Counter{0});
}

}  // namespace

DecodeMeter::DecodeMeter(const DecodeKeys& keys)
    : keys_(keys), kv_read_(std::min(static_cast<std::size_t>(keys.batch), kMostSequences)) {
  step_time_.reserve();
  prefill_time_.reserve();
}

void DecodeMeter::begin_step(Tick now) {
  step_ = Step();
  step_.begun = since_ = now;
}

void DecodeMeter::end_step(bool prefill, Tick now) {
  enter(StepPart::writes, now);
  if (!step_.measured || !counting_) {
    return;
  }
  ++sums_.heads;
  (prefill ? prefill_time_ : step_time_).add((now - step_.begun).value());
  (prefill ? sums_.prefill_layers : sums_.layers) +=
      static_cast<Counter>((step_.layers_ended - step_.layers_begun).value());
  if (!prefill) {
    sums_.layer.add(step_.layer.least);
    sums_.layer.add(step_.layer.most);
    for (std::size_t i = 0; i < kStepParts; ++i) {
      sums_.parts[i] += step_.parts[i];
    }
  }
}

void DecodeMeter::register_statistics(StatisticRegistry& registry, const std::string& path) {
  registry.histogram(path + ".step_time_us", "us",
                     "time to the next token: from the end of the computation of a step, or of a "
                     "prefill, to that of the step after it",
                     kMicrosecond.value(), {&step_time_});
  registry.histogram(path + ".prefill_time_us", "us",
                     "time from the end of the step before to that of a prefill",
                     kMicrosecond.value(), {&prefill_time_});
  for (std::size_t i = 0; i < kStepParts; ++i) {
    registry.ratio(
        path + ".bound." + kParts[i].name, kParts[i].text,
        [this, i] { return static_cast<double>(sums_.parts[i]); }, [this] { return all_parts(); });
  }
  register_bytes(registry, path);
  registry.counter(path + ".trimmed_bytes", "bytes", "keys and values of ended sequences trimmed",
                   {&trimmed_});
  registry.counter(path + ".sequences_ended", "sequences", "sequences replaced by new ones",
                   {&ended_});
  if (keys_.layers() < static_cast<std::uint32_t>(keys_.model.shape.layers)) {
    register_scaled(registry, path + ".scaled");
  }
  // A step under way when measuring begins is not measured.
  registry.on_reset([this](Tick now) {
    step_.measured = false;
    since_ = now;
    sums_ = Sums();
  });
}

void DecodeMeter::register_bytes(StatisticRegistry& registry, const std::string& path) {
  const auto add = [&](bool write, Tier tier, DataKind kind, const char* text) {
    const auto number = static_cast<std::size_t>(kind);
    registry.counter(path + (write ? ".written." : ".read.") + kTierNames[index_of(tier)] + "." +
                         kKindNames[number],
                     "bytes", text, {&bytes_[write ? 1 : 0][index_of(tier)][number]});
  };
  add(false, keys_.weights, DataKind::weights, "weights of layers and output head read");
  add(false, keys_.weights, DataKind::embedding, "rows of the embedding table read");
  add(false, keys_.kv, DataKind::kv, "cached keys and values read");
  add(true, keys_.kv, DataKind::kv, "keys and values written to their pages");
  if (keys_.kv != Tier::fast) {
    add(false, Tier::fast, DataKind::gather, "keys and values of incomplete pages read");
    add(true, Tier::fast, DataKind::gather, "keys and values gathered in incomplete pages");
  }
  for (std::size_t i = 0; i < kv_read_.size(); ++i) {
    registry.counter(path + ".sequence." + std::to_string(i) + ".kv_read", "bytes",
                     "keys and values read of the sequences in this place of the batch",
                     {&kv_read_[i]});
  }
}

void DecodeMeter::register_scaled(StatisticRegistry& registry, const std::string& path) {
  registry.gauge(path + ".rate", "tokens/s",
                 "scaled from the simulated layers to all: tokens per second of steps and prefills",
                 [this] { return scaled_rate(); });
  registry.gauge(path + ".step_time_us", "us",
                 "scaled from the simulated layers to all: mean time to the next token",
                 [this] { return scaled_time(to_all(sums_.layers)); });
  if (keys_.layers() > 1) {
    registry.gauge(path + ".step_time_least_us", "us",
                   "the same, if every layer took the time of the fastest simulated one",
                   [this] { return scaled_time(layers_of(sums_.layer.least)); });
    registry.gauge(path + ".step_time_most_us", "us",
                   "the same, if every layer took the time of the slowest simulated one",
                   [this] { return scaled_time(layers_of(sums_.layer.most)); });
  }
  registry.gauge(path + ".read", "bytes", "scaled from the simulated layers to all: bytes read",
                 [this] { return scaled_bytes(false); });
  registry.gauge(path + ".written", "bytes",
                 "scaled from the simulated layers to all: bytes written",
                 [this] { return scaled_bytes(true); });
}

double DecodeMeter::all_parts() const { return static_cast<double>(sum(sums_.parts)); }

double DecodeMeter::to_all(Counter simulated) const {
  return static_cast<double>(simulated) * static_cast<double>(keys_.model.shape.layers) /
         static_cast<double>(keys_.layers());
}

// Scales all bytes but those of embedding and output head, which are simulated as a whole.
double DecodeMeter::scaled_bytes(bool write) const {
  const auto& of = bytes_[write ? 1 : 0];
  const Counter all = sum(of[0]) + sum(of[1]);
  const auto embedding = static_cast<std::size_t>(DataKind::embedding);
  const Counter whole =
      write ? 0 : of[0][embedding] + of[1][embedding] + sums_.heads * keys_.model.head_bytes();
  return static_cast<double>(whole) + to_all(all - std::min(all, whole));
}

double DecodeMeter::scaled_rate() const {
  const auto steps = static_cast<double>(step_time_.count());
  const double prefills = prefill_time_.sum() - static_cast<double>(sums_.prefill_layers) +
                          to_all(sums_.prefill_layers);
  const double time =
      scaled_time(to_all(sums_.layers)) * steps * static_cast<double>(kMicrosecond.value()) +
      prefills;  // picoseconds
  const double tokens = steps * static_cast<double>(keys_.batch);
  return time == 0 ? 0 : tokens / time * static_cast<double>(kSecond.value());
}

double DecodeMeter::scaled_time(double layers) const {
  if (step_time_.count() == 0) {
    return 0;
  }
  const double all = all_parts() - static_cast<double>(sums_.layers) + layers;
  return all / static_cast<double>(step_time_.count()) / static_cast<double>(kMicrosecond.value());
}

double DecodeMeter::layers_of(Tick layer) const {
  return static_cast<double>(step_time_.count()) * static_cast<double>(layer.value()) *
         static_cast<double>(keys_.model.shape.layers);
}

void DecodeMeter::serialize(Archive& archive) {
  archive(counting_, part_, since_, step_, sums_, step_time_, prefill_time_, bytes_, trimmed_,
          ended_);
  archive.fixed(kv_read_);
}

}  // namespace hmsim
