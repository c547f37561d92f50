// SPDX-License-Identifier: BSD-3-Clause
// The kinds of NVDIMM, and how a module of each is checked and built.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/module/module.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// How modules of some kinds are built. Except in check(), `parameters` have passed check().
struct NvdimmDesign {
  // Adds what is wrong with the parameters.
  void (*check)(const NvdimmParameters& parameters, std::vector<ParameterError>& errors);
  Bytes (*logical_capacity)(const NvdimmParameters& parameters);  // a multiple of 4 KiB
  // Independent units (LUNs, banks). The host orders commands by page modulo this number, at
  // most 64.
  std::int64_t (*units)(const NvdimmParameters& parameters);
  Tick (*hit_delay)(const NvdimmParameters& parameters);   // command to ack, at least
  Tick (*miss_delay)(const NvdimmParameters& parameters);  // what a miss adds to that
  // `seed`: this channel's own. `assignments`: the configuration's, for the parameters of policies.
  std::unique_ptr<NvdimmModule> (*make)(const NvdimmParameters& parameters, AckListener& host,
                                        std::uint64_t seed, const Assignments& assignments);
  // Registers the statistics of the modules, read as one. They must be attached to a kernel.
  void (*register_statistics)(StatisticRegistry& registry, const NvdimmModules& modules);
};

struct NvdimmKindEntry {
  const char* name;
  NvdimmKind kind;
  MediaTechnology technology;  // of byte-addressable kinds
  const NvdimmDesign* design;
};

// By NvdimmKind.
extern const std::array<NvdimmKindEntry, 3> kNvdimmKinds;

inline const NvdimmDesign& design_of(NvdimmKind kind) {
  return *kNvdimmKinds[static_cast<std::size_t>(kind)].design;
}

extern const NvdimmDesign kFlashDesign;
extern const NvdimmDesign kMediaDesign;

}  // namespace hmsim
