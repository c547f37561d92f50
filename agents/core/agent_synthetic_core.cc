// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/agent_synthetic_core.h"

#include <algorithm>
#include <limits>

#include "agents/core/dependent_misses.h"
#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Returns the instruction of event `number` (from 1) at `rate` events per 10^6 instructions.
std::int64_t instruction_of(std::int64_t number, std::int64_t rate) {
  if (rate == 0) {
    return std::numeric_limits<std::int64_t>::max();
  }
  const std::int64_t millions = number / rate * kMillion;
  return millions + (number % rate * kMillion + rate - 1) / rate;
}

std::int64_t per_million(double per_thousand) {
  return static_cast<std::int64_t>(per_thousand * 1000 + 0.5);
}

}  // namespace

SyntheticMisses::SyntheticMisses(const Settings& settings)
    : settings_(settings), random_(settings.seed, settings.stream) {}

void SyntheticMisses::rewind() {
  random_ = Random(settings_.seed, settings_.stream);
  instruction_ = 0;
  reads_ = 0;
  writes_ = 0;
}

std::uint64_t SyntheticMisses::line(std::uint64_t sequential) {
  return settings_.pattern == MissPattern::stream ? sequential % settings_.lines
                                                  : random_.below(settings_.lines);
}

bool SyntheticMisses::next(Miss& miss) {
  const std::int64_t read_at = instruction_of(reads_ + 1, settings_.reads);
  const std::int64_t write_at = instruction_of(writes_ + 1, settings_.writes);
  const std::int64_t at = std::min(read_at, write_at);
  miss = Miss();
  miss.gap = std::max<std::int64_t>(0, at - instruction_);  // loaded counts may disagree
  instruction_ = at;
  const auto line_bytes = static_cast<std::uint64_t>(kLineBytes.value());
  if (read_at == at) {
    miss.load = true;
    miss.load_address = line(static_cast<std::uint64_t>(reads_++)) * line_bytes;
    miss.dependent =
        settings_.pattern == MissPattern::pointer_chase && random_.chance(settings_.dependence);
  }
  if (write_at == at) {
    // Stream writes trail the reads by half the footprint.
    miss.write = true;
    miss.write_address =
        line(static_cast<std::uint64_t>(writes_++) + settings_.lines / 2) * line_bytes;
  }
  return true;
}

void SyntheticMisses::serialize(Archive& archive) {
  archive(random_, instruction_, reads_, writes_);
}

SyntheticCore::SyntheticCore(const FrontendParameters& defaults) : MissAgent(defaults) {
  instructions_ = 10 * kMillion;
}

void SyntheticCore::declare(ParameterSet& parameters) {
  MissAgent::declare(parameters);
  declare_random_stream(parameters);
  parameters.integer("instructions", instructions_, {1, std::int64_t{1} << 52}, "instructions",
                     {"instructions to run", "the workload's own"});
  parameters.real("rpki", rpki_, 0, 1000, "reads",
                  {"loads that miss per 1000 instructions, in steps of 0.001",
                   "the paper gives 429.mcf 40.58, 470.lbm 22.68, 433.milc 1.82"});
  parameters.real("wpki", wpki_, 0, 1000, "writes",
                  {"write-backs per 1000 instructions, in steps of 0.001",
                   "the paper gives 429.mcf 15.42, 470.lbm 13.28, 433.milc 1.44"});
  parameters.choice<MissPattern>("pattern", pattern_,
                                 {{"pointer_chase", MissPattern::pointer_chase},
                                  {"stream", MissPattern::stream},
                                  {"random", MissPattern::random}},
                                 {"lines that miss: random ones that may depend on one another; "
                                  "ascending ones; independent random ones",
                                  "a modelling choice of hmsim"});
  parameters.size("footprint", footprint_, {64, std::int64_t{1} << 46},
                  {"memory that the program accesses", "the workload's own"});
  parameters.real(
      "dependence", dependence_, 0, 1, "",
      {"pointer_chase only: probability that a load needs the data of the load before it",
       "a modelling choice of hmsim"});
}

std::vector<ParameterError> SyntheticCore::check() const {
  std::vector<ParameterError> errors = MissAgent::check();
  if (per_million(rpki_) == 0 && per_million(wpki_) == 0) {
    errors.push_back(
        {"rpki", "and wpki are both 0, so the core would issue no request: one must be above 0"});
  }
  return errors;
}

std::unique_ptr<MissSource> SyntheticCore::open_source() {
  return std::make_unique<SyntheticMisses>(SyntheticMisses::Settings{
      per_million(rpki_), per_million(wpki_), pattern_,
      static_cast<std::uint64_t>(footprint_ / kLineBytes), DependentMisses::chance_of(dependence_),
      environment().seed, random_stream()});
}

extern const AgentDescriptor kAgent_synthetic_core;
const AgentDescriptor kAgent_synthetic_core{
    "synthetic_core", "out-of-order core with generated last-level cache misses",
    make_agent<SyntheticCore>};

}  // namespace hmsim
