// SPDX-License-Identifier: BSD-3-Clause
// DRAMSys stimuli lists (DRAMSys, StlPlayer.cpp) with absolute cycles (*.stl).
#include <utility>

#include "traces/stl_trace.h"

namespace hmsim {

extern const FormatDescriptor kFormat_dramsys_stl{
    "dramsys_stl",
    "a stimuli list of DRAMSys: <cycle>[:] [(<bytes>)] read|write <hexadecimal address> [<data>]",
    TimeUnit::cycles,
    false,
    resembles_stl,
    [](TraceReader reader, const AddressLevels&) {
      return open_stl(std::move(reader), StlTimes::absolute);
    }};

}  // namespace hmsim
