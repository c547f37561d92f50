// SPDX-License-Identifier: BSD-3-Clause
// Block traces of Florida International University (Koller and Rangaswami, I/O Deduplication, FAST
// 2010; format described in the README of SNIA IOTTA 411). Fields, separated by blanks: time in
// nanoseconds, process number and name, first sector, number of 512-byte sectors, W or R, major and
// minor device number, and digests of the data, which are ignored.

#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "<time in ns> <pid> <process> <first sector> <sectors> W|R <major> <minor> <md5>";
constexpr std::size_t kLeast = 8;  // fields
constexpr std::size_t kType = 5;

bool read_request(const TextTrace& line, BlockRequest& request) {
  request.arrival_ns = line.number(0, "the time");
  request.sector = line.number(3, "the first sector");
  request.sectors = line.number(4, "the number of sectors");
  check_sectors(line, request.sector, request.sectors);
  request.write = !line.either(kType, "W", "R");
  request.device = device_number(line, line.field(6), line.field(7));
  return true;
}

bool resembles_line(const TraceStart& start) {
  return start.fields() >= kLeast && (start.field(kType) == "W" || start.field(kType) == "R") &&
         is_decimal(start.field(0)) && is_decimal(start.field(1)) && is_decimal(start.field(3)) &&
         is_decimal(start.field(4)) && is_decimal(start.field(6)) && is_decimal(start.field(7));
}

}  // namespace

extern const FormatDescriptor kFormat_fiu{
    "fiu",
    kLine,
    TimeUnit::nanoseconds,
    true,
    resembles_line,
    open_lines<BlockSource, BlockRequest, const ColumnMap&, kLine, kLeast, TextTrace::kMaxFields,
               read_request>};

}  // namespace hmsim
