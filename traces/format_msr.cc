// SPDX-License-Identifier: BSD-3-Clause
// Microsoft Research Cambridge block traces (Narayanan et al., Write off-loading, FAST 2008; SNIA
// IOTTA 388). Fields, separated by commas: time in units of 100 ns, host, disk, Read or Write,
// offset and size in bytes, response time in units of 100 ns.
#include "traces/column_trace.h"

namespace hmsim {

namespace {

constexpr ColumnLine kLine{
    "<time in 100 ns>,<host>,<disk>,Read|Write,<offset>,<bytes>,<response time>", 6, 7};

ColumnMap columns() {
  ColumnMap map;
  map.time = "0";
  map.device = "2";
  map.op = "3";
  map.offset = "4";
  map.size = "5";
  map.response = "6";
  map.time_unit = Tick(100'000);
  map.read = "Read|read|READ";
  map.write = "Write|write|WRITE";
  map.flush = map.trim = "";
  return map;
}

}  // namespace

extern const FormatDescriptor kFormat_msr = column_format<columns, kLine>("msr", 100, true);

}  // namespace hmsim
