// SPDX-License-Identifier: BSD-3-Clause
// NVMain traces (traceReader/NVMainTrace/NVMainTraceReader.cpp of NVMain and of its descendant
// RTSim, which also reads NVMV1). Fields: cycle, R or W, address, data, and thread. If the first
// line is NVMV1, the old data precede the thread. Address and data are hexadecimal. The thread
// becomes the requestor; data are ignored.
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<cycle> R|W <address> <data> [<old data>] <thread>";
constexpr std::size_t kLeast = 5;  // fields without old data
constexpr std::size_t kMost = 6;

bool read_access(const TextTrace& line, Access& access) {
  if (line.fields() == 1 && (line.field(0) == "NVMV0" || line.field(0) == "NVMV1")) {
    return false;
  }
  if (line.fields() < kLeast) {
    line.fail("expected '" + std::string(kLine) + "' or 'NVMV1'");
  }
  access.cycle = line.number(0, "the cycle");
  access.write = line.either(1, "R", "W");
  access.address = line.hexadecimal(2, "the address");
  access.requestor = line.number(line.fields() - 1, "the thread");
  return true;
}

bool resembles_line(const TraceStart& start) {
  return start.begins_with("NVMV") ||
         (start.fields() >= kLeast && start.fields() <= kMost && is_decimal(start.field(0)) &&
          (start.field(1) == "R" || start.field(1) == "W"));
}

}  // namespace

extern const FormatDescriptor kFormat_nvmain{
    "nvmain",
    kLine,
    TimeUnit::cycles,
    true,
    resembles_line,
    open_lines<AccessSource, Access, const AddressLevels&, kLine, 1, kMost, read_access>};

}  // namespace hmsim
