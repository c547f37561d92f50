// SPDX-License-Identifier: BSD-3-Clause
// Alibaba cloud block traces (Li et al., An In-Depth Analysis of Cloud Block Storage Workloads in
// Large-Scale Production, IISWC 2020; github.com/alibaba/block-traces). Fields, separated by
// commas: volume, R or W, offset and length in bytes, time in microseconds.
#include "traces/column_trace.h"

namespace hmsim {

namespace {

constexpr ColumnLine kLine{"<volume>,R|W,<offset>,<bytes>,<time in us>", 5, 5};

ColumnMap columns() {
  ColumnMap map;
  map.device = "0";
  map.op = "1";
  map.offset = "2";
  map.size = "3";
  map.time = "4";
  map.time_unit = Tick(1'000'000);
  map.read = "R|r";
  map.write = "W|w";
  map.flush = map.trim = "";
  return map;
}

}  // namespace

extern const FormatDescriptor kFormat_alibaba = column_format<columns, kLine>("alibaba", 1'000);

}  // namespace hmsim
