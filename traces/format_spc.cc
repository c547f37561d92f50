// SPDX-License-Identifier: BSD-3-Clause
// Traces in the Storage Performance Council's format (SPC Trace File Format Specification, revision
// 1.0.1, 2002), as the UMass Trace Repository has them (traces.cs.umass.edu: Financial1 and 2,
// WebSearch1 to 3): commas between the application's unit (ASU), the block on it, the size in
// bytes, R or W in either case, the time in seconds with decimals, and further fields, which are
// not looked at. Blocks have 512 bytes: the specification leaves that to a trace's description, and
// readers of those of UMass take it so. Units count as devices.
#include <utility>

#include "traces/column_trace.h"

namespace hmsim {

namespace {

constexpr ColumnLine kLine{"<ASU>,<block>,<bytes>,R|W,<time in s>[,...]", 5, TextTrace::kMaxFields};

ColumnMap columns() {
  ColumnMap map;
  map.device = "0";
  map.offset = "1";
  map.size = "2";
  map.op = "3";
  map.time = "4";
  map.time_unit = kSecond;
  map.offset_unit = Bytes(kSectorBytes);
  map.read = "R|r";
  map.write = "W|w";
  map.flush = map.trim = "";
  return map;
}

}  // namespace

extern const FormatDescriptor kFormat_spc;
const FormatDescriptor kFormat_spc{
    "spc",
    kLine.expected,
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart& start) { return resembles_columns(start, columns(), kLine); },
    [](TraceReader reader, const ColumnMap&) {
      return open_columns(std::move(reader), columns(), kLine);
    },
    1'000};

}  // namespace hmsim
