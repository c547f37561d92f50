// SPDX-License-Identifier: BSD-3-Clause
// Ramulator 2 traces of loads and stores (src/frontend/impl/memory_trace/loadstore_trace.cpp,
// LoadStoreTrace): LD or ST, and a byte address, decimal or hexadecimal after 0x.
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "LD|ST <address>";

bool read_access(const TextTrace& line, Access& access) {
  access.write = line.either(0, "LD", "ST");
  access.address = line.number(1, "the address");
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_ramulator2_ls{
    "ramulator2_ls",
    kLine,
    TimeUnit::none,
    false,
    [](const TraceStart& start) {
      return start.fields() == 2 && (start.field(0) == "LD" || start.field(0) == "ST");
    },
    open_lines<AccessSource, Access, const AddressLevels&, kLine, 2, 2, read_access>};

}  // namespace hmsim
