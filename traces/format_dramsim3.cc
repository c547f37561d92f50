// SPDX-License-Identifier: BSD-3-Clause
// DRAMsim3 traces (DRAMsim3, src/common.cc): a hexadecimal address, the kind of access and the
// clock cycle of arrival. As in DRAMsim3, 0x before the address is optional. DRAMsim3 writes for
// four words and reads for every other word; here the reads are the words of DRAMSim2's traces.
#include "traces/access_words.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<hexadecimal address> READ|WRITE <cycle>";
constexpr AccessWords kWords{"READ|read|P_MEM_RD|P_FETCH|IFETCH|P_LOCK_RD|P_LOCK_WR",
                             "WRITE|write|P_MEM_WR|BOFF"};

bool read_access(const TextTrace& line, Access& access) {
  read_access_line(line, kWords, "; DRAMsim3 would read", access);
  return true;
}

bool read_plain(FastLine& line, Access& access) {
  return line.hexadecimal(access.address, ' ') && line.either("READ", "WRITE", access.write, ' ') &&
         line.decimal(access.cycle, '\n');
}

}  // namespace

extern const FormatDescriptor kFormat_dramsim3{
    "dramsim3",
    kLine,
    TimeUnit::cycles,
    false,
    [](const TraceStart& start) {
      // Other lines with these words may be of dramsys_stl or dramsim2_misc.
      const bool lower = start.fields() == 3 && in_word_list(start.field(1), "read|write") &&
                         start.field(0).substr(0, 2) == "0x" && is_decimal(start.field(2)) &&
                         start.field(2).size() < 64;
      return lower || (start.fields() == 3 && in_word_list(start.field(1), "READ|WRITE"));
    },
    open_lines<AccessSource, Access, const AddressLevels&, kLine, 3, 3, read_access, read_plain>};

}  // namespace hmsim
