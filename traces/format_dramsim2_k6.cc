// SPDX-License-Identifier: BSD-3-Clause
// DRAMSim2's k6 traces (DRAMSim2, TraceBasedSim.cpp): an address after 0x, a bus command and a
// decimal cycle. As in DRAMSim2, P_LOCK_WR reads and BOFF writes.
#include "traces/access_words.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "0x<address> P_FETCH|P_MEM_RD|P_LOCK_RD|P_LOCK_WR|P_MEM_WR|BOFF "
    "<cycle>";
constexpr AccessWords kWords{"P_FETCH|P_MEM_RD|P_LOCK_RD|P_LOCK_WR", "P_MEM_WR|BOFF"};

bool read_access(const TextTrace& line, Access& access) {
  check_prefix(line);
  read_access_line(line, kWords, "", access);
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_dramsim2_k6{
    "dramsim2_k6",
    kLine,
    TimeUnit::cycles,
    false,
    [](const TraceStart& start) {
      return start.fields() == 3 && is_access_word(start.field(1), kWords);
    },
    open_lines<AccessSource, Access, const AddressLevels&, kLine, 3, 3, read_access>};

}  // namespace hmsim
