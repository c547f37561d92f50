// SPDX-License-Identifier: BSD-3-Clause
// The block traces of Tencent's cloud (Zhang et al., OSCA: An Online-Model Based Cache Allocation
// Scheme in Cloud Block Storage Systems, USENIX ATC 2020; SNIA IOTTA 27917): commas between the
// time in seconds, the first sector, the number of sectors, 0 (read) or 1 (write), and the volume.
// Requests of one second have one time: when they came within it, nobody knows.
#include <algorithm>
#include <utility>

#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<time in s>,<first sector>,<sectors>,0 read|1 write,<volume>";
constexpr std::uint64_t kSecondNs = 1'000'000'000;  // in nanoseconds

bool read_request(const TextTrace& line, BlockRequest& request) {
  request.arrival_ns = scaled_time(line, 0, "the time", kSecondNs);
  request.sector = line.number(1, "the first sector");
  request.sectors = line.number(2, "the number of sectors");
  check_sectors(line, request.sector, request.sectors);
  const std::uint64_t type = line.number(3, "the type");
  if (type > 1) {
    line.fail("type " + std::to_string(type) + " is neither 0 (read) nor 1 (write)");
  }
  request.write = type == 1;
  request.device = line.number(4, "the volume");
  return true;
}

bool resembles_line(const TraceStart& start) {
  if (start.fields() != 1) {
    return false;
  }
  const std::string_view line = start.field(0);
  return std::count(line.begin(), line.end(), ',') == 4 &&
         line.find_first_not_of("0123456789,") == std::string_view::npos;
}

}  // namespace

extern const FormatDescriptor kFormat_tencent;
const FormatDescriptor kFormat_tencent{
    "tencent",
    kLine,
    TimeUnit::nanoseconds,
    true,
    resembles_line,
    [](TraceReader reader) -> std::unique_ptr<BlockSource> {
      return std::make_unique<LineTrace<BlockSource, BlockRequest, read_request>>(
          TextTrace(std::move(reader), kLine, 5, 5, ","));
    },
    kSecondNs};

}  // namespace hmsim
