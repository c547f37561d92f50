// SPDX-License-Identifier: BSD-3-Clause
// Agent kind synthetic: generated requests, sent directly to the controller.
#include <cstdint>
#include <vector>

#include "agents/stream/stream_agent.h"
#include "core/archive.h"
#include "core/clock.h"
#include "core/errors.h"
#include "core/random.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 46;
constexpr double kTwoTo32 = 4294967296.0;

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
  void serialize_source(Archive& archive) override { archive(random_, position_, shift_, due_); }

  RequestPattern pattern_ = RequestPattern::random;
  double read_ratio_ = 1;
  Bytes offset_{0};
  Bytes footprint_{std::int64_t{64} << 20};
  Bytes stride_{4'096};
  std::int64_t outstanding_limit_ = 32;
  Tick interval_{0};
  Tick latency_{0};

  std::uint64_t lines_ = 1;        // of the footprint
  std::uint64_t read_chance_ = 0;  // probability x 2^32
  Random random_;
  std::uint64_t position_ = 0;  // line of the next sequential or strided request
  std::uint64_t shift_ = 0;     // offset of a strided round from the first
  Tick due_{0};
};

void Synthetic::declare(ParameterSet& parameters) {
  StreamAgent::declare(parameters);
  declare_random_stream(parameters);
  parameters.choice<RequestPattern>(
      "pattern", pattern_,
      {{"sequential", RequestPattern::sequential},
       {"random", RequestPattern::random},
       {"strided", RequestPattern::strided}},
      {"ascending lines; random lines; or lines a stride apart, each pass one line further",
       "a modelling choice of hmsim"});
  parameters.real("read_ratio", read_ratio_, 0, 1, "",
                  {"probability that a request is a read", "the workload's own"});
  parameters.size("offset", offset_, {0, kMaxSize},
                  {"where the footprint begins within the target", "the workload's own"});
  parameters.size("footprint", footprint_, {64, kMaxSize},
                  {"memory that requests access", "the workload's own"});
  parameters.size(
      "stride", stride_, {64, kMaxSize},
      {"strided only: distance of successive requests, a multiple of 64B", "the workload's own"});
  parameters.integer("outstanding", outstanding_limit_, {1, 65'536}, "requests",
                     {"requests in flight", "the workload's own"});
  parameters.time(
      "interval", interval_,
      {"time from one request to the next; 0s: as soon as one completes", "the workload's own"});
  parameters.time("latency", latency_,
                  {"time of a request between agent and memory, both ways; it is in flight "
                   "meanwhile",
                   "the workload's own"});
  parameters.integer("requests", requests_, {1, std::int64_t{1} << 60}, "requests",
                     {"requests to send", "the workload's own"});
}

std::vector<ParameterError> Synthetic::check() const {
  std::vector<ParameterError> errors;
  if (stride_ % kLineBytes != Bytes(0) || stride_ > footprint_) {
    if (pattern_ == RequestPattern::strided) {
      errors.push_back({"stride", "must be a multiple of 64B and fit the footprint"});
    }
  }
  return errors;
}

StreamAgent::Bounds Synthetic::open() {
  const Bytes capacity = target_capacity();
  if (offset_ > capacity || footprint_ > capacity - offset_) {
    throw InputError(name() + ".footprint: " + format_size(footprint_) + " from offset " +
                     format_size(offset_) + " exceed the target's " + format_size(capacity));
  }
  lines_ = static_cast<std::uint64_t>(footprint_ / kLineBytes);
  read_chance_ = static_cast<std::uint64_t>(read_ratio_ * kTwoTo32);
  rewind();
  return {kUnbounded, outstanding_limit_, kUnbounded, interval_ != Tick(0), latency_};
}

void Synthetic::rewind() {
  random_ = Random(environment().seed, random_stream());
  position_ = 0;
  shift_ = 0;
  due_ = Tick(0);
}

bool Synthetic::next(StreamRequest& request) {
  const auto line_bytes = static_cast<std::uint64_t>(kLineBytes.value());
  std::uint64_t line = position_;
  if (pattern_ == RequestPattern::random) {
    line = random_.below(lines_);
  } else if (pattern_ == RequestPattern::sequential) {
    position_ = (position_ + 1) % lines_;
  } else {
    const auto stride = static_cast<std::uint64_t>(stride_ / kLineBytes);
    position_ += stride;
    if (position_ >= lines_) {
      shift_ = (shift_ + 1) % stride;
      position_ = shift_;
    }
  }
  request.address = static_cast<std::uint64_t>(offset_.value()) + line * line_bytes;
  request.write = !random_.chance(read_chance_);
  request.due = due_;
  due_ = sum_in_time(due_, interval_);
  return true;
}

}  // namespace

extern const AgentDescriptor kAgent_synthetic;
const AgentDescriptor kAgent_synthetic{"synthetic",
                                       "generated memory requests, sent straight to the controller",
                                       make_agent<Synthetic>};

}  // namespace hmsim
