// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/design.h"

#include "core/preset_table.h"

namespace hmsim {

// Sources. Read and write times: Caulfield et al., "Understanding the Impact of Emerging
// Non-Volatile Memories on High-Performance, IO-Intensive Computing" (SC 2010). PCM energies:
// Caulfield et al., "Moneta" (MICRO 2010). Neither paper gives energies of STT-RAM.
constexpr std::array<NvdimmKindEntry, 4> kNvdimmKinds{{
    {"flash", NvdimmKind::flash, {}, &kFlashDesign},
    {"pcm", NvdimmKind::pcm, {Tick(67'500), Tick(215'000), 2.47, 16.82}, &kMediaDesign},
    {"sttram", NvdimmKind::sttram, {Tick(29'500), Tick(95'000), 0, 0}, &kMediaDesign},
    {"hbf", NvdimmKind::hbf, {}, &kHbfDesign},
}};
static_assert(in_order(kNvdimmKinds));

}  // namespace hmsim
