// SPDX-License-Identifier: BSD-3-Clause
// Block traces of enterprise virtual desktops (Lee et al., Understanding Storage Traffic
// Characteristics on Enterprise Virtual Desktop Infrastructure, SYSTOR 2017; SNIA IOTTA 4928).
// After a header line, fields separated by commas: time and response time in seconds with decimals;
// R, W or empty; LUN; offset and size in bytes. Times have a resolution of a microsecond. Lines
// that are neither R nor W are skipped and counted.
#include <utility>

#include "traces/column_trace.h"

namespace hmsim {

namespace {

constexpr ColumnLine kLine{"<time in s>,<response time in s>,R|W|,<LUN>,<offset>,<bytes>", 6, 6};

ColumnMap columns() {
  ColumnMap map;
  map.time = "0";
  map.response = "1";
  map.op = "2";
  map.device = "3";
  map.offset = "4";
  map.size = "5";
  map.time_unit = kSecond;
  map.read = "R|r";
  map.write = "W|w";
  map.skip = "blank";
  map.title = "IOType";
  map.flush = map.trim = "";
  return map;
}

}  // namespace

extern const FormatDescriptor kFormat_systor{
    "systor",
    kLine.expected,
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart& start) {
      return start.line() == "Timestamp,Response,IOType,LUN,Offset,Size" ||
             resembles_columns(start, columns(), kLine);
    },
    [](TraceReader reader, const ColumnMap&) {
      return open_columns(std::move(reader), columns(), kLine);
    },
    1'000,
    true};

}  // namespace hmsim
