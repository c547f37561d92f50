// SPDX-License-Identifier: BSD-3-Clause
// Reader of DRAMSys stimuli lists (DRAMSys, StlPlayer.cpp): formats dramsys_stl and dramsys_rstl.
#pragma once

#include <memory>

#include "traces/trace_formats.h"

namespace hmsim {

enum class StlTimes { absolute, gaps };  // gaps: each cycle counts from the line before

std::unique_ptr<AccessSource> open_stl(TraceReader reader, StlTimes times);

// Returns whether the first line may be of such a list.
bool resembles_stl(const TraceStart& start);

}  // namespace hmsim
