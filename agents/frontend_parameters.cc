// SPDX-License-Identifier: BSD-3-Clause
#include "agents/frontend_parameters.h"

#include <cmath>
#include <string>

namespace hmsim {

void CoreParameters::declare(ParameterSet& parameters) {
  parameters.frequency("frequency", frequency,
                       {"clock of the core, in whole kilohertz", "the paper, Table III"});
  parameters.integer("width", width, {1, 32}, "instructions",
                     {"instructions dispatched and retired per cycle", "the paper, Table III"});
  declare_base_cpi(parameters, base_cpi);
  parameters.integer("window", window, {2, 65'536}, "instructions",
                     {"instructions between dispatch and retirement (reorder buffer)",
                      "assumed: 128, as in the cores of the paper's time"});
}

void CoreParameters::declare_base_cpi(ParameterSet& parameters, double& base_cpi) {
  parameters.real("base_cpi", base_cpi, 0, 1'000, "cycles",
                  {"base CPI: cycles per instruction while nothing misses, the same for all "
                   "instructions; 0: as the width allows",
                   "measured for each program with a memory without latency"});
}

void CoreParameters::declare_mshrs(ParameterSet& parameters, std::int64_t& mshrs) {
  parameters.integer_or(
      "mshrs", mshrs, {1, 65'536}, "window", kWindowOnly, "loads",
      {"loads in flight; 'window': the window's size", "assumed: the paper names no limit"});
}

std::int64_t CoreParameters::slots_per_millisecond() const {
  constexpr std::int64_t kPerSecond = 1'000;
  const std::int64_t cycles = frequency / kPerSecond;
  return base_cpi == 0 ? cycles * width : std::llround(static_cast<double>(cycles) / base_cpi);
}

std::int64_t CoreParameters::slots_at_base_cpi(std::int64_t cycles) const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) / base_cpi));
}

std::vector<ParameterError> CoreParameters::check() const {
  std::vector<ParameterError> errors;
  if (frequency % 1'000 != 0) {
    errors.push_back({"frequency", "must be whole kilohertz"});
  }
  if (base_cpi != 0 && base_cpi * static_cast<double>(width) < 1) {
    errors.push_back({"base_cpi", "must be 0, or no less than the width allows: at least 1/" +
                                      std::to_string(width)});
  }
  if (window <= width) {
    errors.push_back({"window", "must be larger than the width, " + std::to_string(width)});
  }
  return errors;
}

void FrontendParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope frontend(parameters, "frontend");
  {
    const ParameterSet::Scope scope(parameters, "core");
    core.declare(parameters);
    CoreParameters::declare_mshrs(parameters, core.mshrs);
  }
  const auto declare_part = [&parameters](const char* name, auto& part) {
    const ParameterSet::Scope scope(parameters, name);
    part.declare(parameters);
  };
  declare_part("cache", cache);
  declare_part("block", block);
  declare_part("node", node);
  cluster.declare(parameters);
  parameters.choice<TranslationKind>(
      "translation", translation,
      {{"first_touch", TranslationKind::first_touch}, {"modulo", TranslationKind::modulo}},
      {"where a core's 4 KB pages are in DRAM: seeded free frames in order of first touch, or the "
       "address modulo the capacity",
       "assumed: traces contain virtual addresses"});
  parameters.time("series_interval", series_interval,
                  {"time between two rows of the time series of all statistics; 0s: none",
                   "a modelling choice of hmsim"});
  parameters.choice("until", until, {{"finished", RunEnd::finished}, {"steady", RunEnd::steady}},
                    {"what ends a run. finished: every measured agent has done its work; steady: "
                     "the rates of all that have not are steady, or the same",
                     "SNIA solid-state storage performance test specification"});
  parameters.time("time_limit", time_limit,
                  {"simulated time from the start of measuring after which a run ends, finished or "
                   "not; 0s: no limit",
                   "a modelling choice of hmsim"},
                  kHour);
  parameters.time("stall_limit", stall_limit,
                  {"a run fails when a request has held an entry of its transaction queue for "
                   "longer, as when a policy always prefers others; 0s: no limit",
                   "a modelling choice of hmsim"},
                  kHour);
}

std::vector<ParameterError> FrontendParameters::check() const {
  std::vector<ParameterError> errors;
  append(errors, core.check(), "frontend.core.");
  append(errors, cache.check(), "frontend.cache.");
  append(errors, node.check(), "frontend.node.");
  append(errors, cluster.check(), "frontend.");
  if (series_interval != Tick(0) && series_interval < kNanosecond) {
    errors.push_back({"frontend.series_interval", "must be 0s, or between 1ns and 1s"});
  }
  return errors;
}

}  // namespace hmsim
