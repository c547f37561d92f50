// SPDX-License-Identifier: BSD-3-Clause
// Ramulator memory traces (Ramulator, src/Processor.cpp, Trace::get_request): a hexadecimal
// address, and R or W. As in Ramulator, 0x before the address is optional.
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<hexadecimal address> R|W";

bool read_access(const TextTrace& line, Access& access) {
  access.address = line.hexadecimal(0, "the address");
  access.write = line.either(1, "R", "W");
  return true;
}

bool read_plain(FastLine& line, Access& access) {
  return line.hexadecimal(access.address, ' ') && line.either("R", "W", access.write, '\n');
}

}  // namespace

extern const FormatDescriptor kFormat_ramulator_rw{
    "ramulator_rw",
    kLine,
    TimeUnit::none,
    false,
    [](const TraceStart& start) {
      return start.fields() == 2 && (start.field(1) == "R" || start.field(1) == "W");
    },
    open_lines<AccessSource, Access, const AddressLevels&, kLine, 2, 2, read_access, read_plain>};

}  // namespace hmsim
