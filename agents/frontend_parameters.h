// SPDX-License-Identifier: BSD-3-Clause
// The configuration's parameters of agents. An agent's own keys of the same names override these
// for that agent.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/cache/cache_parameters.h"
#include "agents/node/cluster_parameters.h"
#include "agents/node/node_parameters.h"
#include "core/parameters.h"
#include "core/types.h"
#include "storage/nvdimm_driver.h"

namespace hmsim {

inline constexpr std::int64_t kWindowOnly = 0;  // loads in flight are bounded by the window alone

// An out-of-order core as the memory sees it.
struct CoreParameters {
  std::int64_t frequency = 2'000'000'000;  // hertz
  std::int64_t width = 4;                  // instructions dispatched and retired per cycle
  double base_cpi = 0;               // cycles per instruction while nothing misses; 0: width's
  std::int64_t window = 128;         // instructions between dispatch and retirement
  std::int64_t mshrs = kWindowOnly;  // loads in flight

  void declare(ParameterSet& parameters);  // but mshrs, which cores with caches do not have
  static void declare_base_cpi(ParameterSet& parameters, double& base_cpi);
  static void declare_mshrs(ParameterSet& parameters, std::int64_t& mshrs);
  std::vector<ParameterError> check() const;

  // A slot is the time between two instructions while nothing misses.
  double slots_per_cycle() const {
    return base_cpi == 0 ? static_cast<double>(width) : 1 / base_cpi;
  }
  std::int64_t slots_per_millisecond() const;
  // The slots that so many cycles take, rounded up.
  std::int64_t slots_of(std::int64_t cycles) const {
    return base_cpi == 0 ? cycles * width : slots_at_base_cpi(cycles);
  }

 private:
  std::int64_t slots_at_base_cpi(std::int64_t cycles) const;
};

// The threads that do block I/O, and how they do it on the NVDIMM.
struct BlockParameters {
  std::int64_t threads = 4;
  std::int64_t window = 64;  // lines outstanding per thread
  Fence fence = Fence::block;
  NvdimmDriverKind driver = NvdimmDriverKind::nd_pmem;  // preset of the following ones
  NvdimmDriver how = driver_of(NvdimmDriverKind::nd_pmem);
  Tick request_time = io_driver_of(how.software).read.entry;
  Tick software_time = io_driver_of(how.software).page_time;

  void declare(ParameterSet& parameters);
  // Returns how to do I/O for a hardware context, with software on the given number of contexts.
  NvdimmIo nvdimm_io(std::int64_t source, std::int64_t contexts) const;
};

enum class TranslationKind { first_touch, modulo };

struct FrontendParameters {
  CoreParameters core;
  CacheParameters cache;
  BlockParameters block;
  NodeParameters node;
  ClusterParameters cluster;
  TranslationKind translation = TranslationKind::first_touch;
  Tick series_interval{0};     // between two rows of the time series; 0: none
  Tick time_limit{0};          // of measuring, after which a run ends; 0: none
  Tick stall_limit = kSecond;  // that a request may hold a slot; 0: none

  void declare(ParameterSet& parameters);     // under "frontend."
  std::vector<ParameterError> check() const;  // with full names
};

}  // namespace hmsim
