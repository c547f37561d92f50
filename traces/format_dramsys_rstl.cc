// SPDX-License-Identifier: BSD-3-Clause
// DRAMSys stimuli lists (DRAMSys, StlPlayer.cpp) with cycles relative to the line before (*.rstl).
// They look like dramsys_stl.
#include <utility>

#include "traces/stl_trace.h"

namespace hmsim {

extern const FormatDescriptor kFormat_dramsys_rstl{
    "dramsys_rstl",
    "a stimuli list of DRAMSys as dramsys_stl, with cycles from the line before",
    TimeUnit::cycles,
    false,
    [](const TraceStart&) { return false; },
    [](TraceReader reader, const AddressLevels&) {
      return open_stl(std::move(reader), StlTimes::gaps);
    }};

}  // namespace hmsim
