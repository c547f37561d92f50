// SPDX-License-Identifier: BSD-3-Clause
// Configuration parameters of agents. A key of an agent overrides the parameter of the same name.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/cache/cache_parameters.h"
#include "agents/node/cluster_parameters.h"
#include "agents/node/node_parameters.h"
#include "core/parameters.h"
#include "core/types.h"
#include "storage/block_parameters.h"

namespace hmsim {

inline constexpr std::int64_t kWindowOnly = 0;  // only the window bounds loads in flight

// An out-of-order core as the memory sees it.
struct CoreParameters {
  std::int64_t frequency = 2'000'000'000;  // hertz
  std::int64_t width = 4;                  // instructions dispatched and retired per cycle
  double base_cpi = 0;                     // cycles per instruction without misses; 0: 1/width
  std::int64_t window = 128;               // instructions between dispatch and retirement
  std::int64_t mshrs = kWindowOnly;        // loads in flight

  void declare(ParameterSet& parameters);  // all but mshrs, which cores with caches lack
  static void declare_base_cpi(ParameterSet& parameters, double& base_cpi);
  static void declare_mshrs(ParameterSet& parameters, std::int64_t& mshrs);
  std::vector<ParameterError> check() const;

  // Slots per cycle. A slot is the time between two instructions without misses.
  double slots_per_cycle() const {
    return base_cpi == 0 ? static_cast<double>(width) : 1 / base_cpi;
  }
  std::int64_t slots_per_millisecond() const;
  // Returns the slots in `cycles`, rounded up.
  std::int64_t slots_of(std::int64_t cycles) const {
    return base_cpi == 0 ? cycles * width : slots_at_base_cpi(cycles);
  }

 private:
  std::int64_t slots_at_base_cpi(std::int64_t cycles) const;
};

enum class TranslationKind { first_touch, modulo };
enum class RunEnd { finished, steady };

struct FrontendParameters {
  CoreParameters core;
  CacheParameters cache;
  BlockParameters block;
  NodeParameters node;
  ClusterParameters cluster;
  TranslationKind translation = TranslationKind::first_touch;
  Tick series_interval{0};  // between rows of the time series; 0: no series
  RunEnd until = RunEnd::finished;
  Tick time_limit{0};          // a run ends after measuring for this long; 0: no limit
  Tick stall_limit = kSecond;  // longest time a request may hold a slot; 0: no limit

  void declare(ParameterSet& parameters);     // under "frontend."
  std::vector<ParameterError> check() const;  // with full names
};

}  // namespace hmsim
