// SPDX-License-Identifier: BSD-3-Clause
// Storage Performance Council traces (SPC Trace File Format Specification, revision 1.0.1, 2002),
// as in the UMass Trace Repository (traces.cs.umass.edu: Financial1 and 2, WebSearch1 to 3).
// Fields, separated by commas: application storage unit (ASU), block, size in bytes, R or W in
// either case, time in seconds with decimals. Further fields are ignored. Blocks have 512 bytes:
// the specification leaves the size to each trace's description, and readers of the UMass traces
// use 512. Units count as devices.
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

extern const FormatDescriptor kFormat_spc = column_format<columns, kLine>("spc", 1'000);

}  // namespace hmsim
