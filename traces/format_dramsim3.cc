// SPDX-License-Identifier: BSD-3-Clause
// DRAMsim3 traces (DRAMsim3, src/common.cc): a hexadecimal address, the kind of access and the
// clock cycle of arrival. As in DRAMsim3, 0x before the address is optional.
#include <utility>

#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<hexadecimal address> READ|WRITE <cycle>";

bool read_access(const TextTrace& line, Access& access) {
  access.address = line.hexadecimal(0, "the address");
  access.write = line.field(1) == "WRITE";
  if (!access.write && line.field(1) != "READ") {
    line.fail("'" + shown(line.field(1)) + "' is neither READ nor WRITE");
  }
  access.cycle = line.number(2, "the cycle");
  return true;
}

bool read_plain(FastLine& line, Access& access) {
  return line.hexadecimal(access.address, ' ') && line.either("READ", "WRITE", access.write, ' ') &&
         line.decimal(access.cycle, '\n');
}

}  // namespace

extern const FormatDescriptor kFormat_dramsim3;
const FormatDescriptor kFormat_dramsim3{
    "dramsim3",
    kLine,
    TimeUnit::cycles,
    false,
    [](const TraceStart& start) {
      return start.fields() == 3 && (start.field(1) == "READ" || start.field(1) == "WRITE");
    },
    [](TraceReader reader, const AddressLevels&) -> std::unique_ptr<AccessSource> {
      return std::make_unique<LineTrace<AccessSource, Access, read_access, read_plain>>(
          TextTrace(std::move(reader), kLine, 3, 3));
    }};

}  // namespace hmsim
