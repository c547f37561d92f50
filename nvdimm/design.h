// SPDX-License-Identifier: BSD-3-Clause
// The kinds of NVDIMM, and how a module of each is checked and built.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/parameters.h"
#include "core/preset_table.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/module/module.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Functions that check and build modules of a kind. Except for check(), they require `parameters`
// that passed check().
struct NvdimmDesign {
  // Appends the errors of the parameters.
  void (*check)(const NvdimmParameters& parameters, std::vector<ParameterError>& errors);
  Bytes (*logical_capacity)(const NvdimmParameters& parameters);  // multiple of 4 KiB
  // Returns the number of independent units (LUNs, banks). The host orders commands by page modulo
  // this number, at most 64.
  std::int64_t (*units)(const NvdimmParameters& parameters);
  Tick (*hit_delay)(const NvdimmParameters& parameters);   // minimum, command to ack
  Tick (*miss_delay)(const NvdimmParameters& parameters);  // added by a miss
  // `seed`: the channel's private seed. `assignments`: the configuration's, for policy parameters.
  std::unique_ptr<NvdimmModule> (*make)(const NvdimmParameters& parameters, AckListener& host,
                                        std::uint64_t seed, const Assignments& assignments);
  // Registers the statistics of the modules, combined. Each module must be attached to a kernel.
  void (*register_statistics)(StatisticRegistry& registry, const NvdimmModules& modules);
};

struct NvdimmKindEntry {
  const char* name;
  NvdimmKind kind;
  MediaTechnology technology;  // byte-addressable kinds only
  const NvdimmDesign* design;
};

extern const NvdimmDesign kFlashDesign;
extern const NvdimmDesign kMediaDesign;
extern const NvdimmDesign kHbfDesign;

// Sources. Read and write times: Caulfield et al., "Understanding the Impact of Emerging
// Non-Volatile Memories on High-Performance, IO-Intensive Computing" (SC 2010). PCM energies:
// Caulfield et al., "Moneta" (MICRO 2010). Neither paper gives energies of STT-RAM.
inline constexpr std::array<NvdimmKindEntry, 4> kNvdimmKinds{{
    {"flash", NvdimmKind::flash, {}, &kFlashDesign},
    {"pcm", NvdimmKind::pcm, {Tick(67'500), Tick(215'000), 2.47, 16.82}, &kMediaDesign},
    {"sttram", NvdimmKind::sttram, {Tick(29'500), Tick(95'000), 0, 0}, &kMediaDesign},
    {"hbf", NvdimmKind::hbf, {}, &kHbfDesign},
}};
static_assert(in_order(kNvdimmKinds));

inline const NvdimmDesign& design_of(NvdimmKind kind) {
  return *kNvdimmKinds[static_cast<std::size_t>(kind)].design;
}

}  // namespace hmsim
