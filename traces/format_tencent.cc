// SPDX-License-Identifier: BSD-3-Clause
// Tencent cloud block traces (Zhang et al., OSCA: An Online-Model Based Cache Allocation Scheme in
// Cloud Block Storage Systems, USENIX ATC 2020; SNIA IOTTA 27917). Fields, separated by commas:
// time in seconds, first sector, number of sectors, 0 (read) or 1 (write), and volume. Requests in
// one second share one time; their order within it is unknown.
#include "traces/column_trace.h"

namespace hmsim {

namespace {

constexpr ColumnLine kLine{"<time in s>,<first sector>,<sectors>,0 read|1 write,<volume>", 5, 5};

ColumnMap columns() {
  ColumnMap map;
  map.time = "0";
  map.offset = "1";
  map.size = "2";
  map.op = "3";
  map.device = "4";
  map.time_unit = kSecond;
  map.offset_unit = Bytes(kSectorBytes);
  map.size_unit = Bytes(kSectorBytes);
  map.read = "0";
  map.write = "1";
  map.flush = map.trim = "";
  return map;
}

}  // namespace

extern const FormatDescriptor kFormat_tencent =
    column_format<columns, kLine>("tencent", 1'000'000'000);

}  // namespace hmsim
