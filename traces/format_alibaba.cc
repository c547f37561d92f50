// SPDX-License-Identifier: BSD-3-Clause
// The block traces of Alibaba's cloud (Li et al., An In-Depth Analysis of Cloud Block Storage
// Workloads in Large-Scale Production, IISWC 2020; github.com/alibaba/block-traces): commas between
// the volume, R or W, the offset and the length in bytes, and the time in microseconds.
#include <algorithm>
#include <utility>

#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<volume>,R|W,<offset>,<bytes>,<time in us>";
constexpr std::uint64_t kMicrosecondNs = 1'000;  // in nanoseconds

bool read_request(const TextTrace& line, BlockRequest& request) {
  request.device = line.number(0, "the volume");
  request.write = line.field(1) == "W";
  if (!request.write && line.field(1) != "R") {
    line.fail("'" + shown(line.field(1)) + "' is neither R nor W");
  }
  set_extent(line, line.number(2, "the offset"), line.number(3, "the length"), request);
  request.arrival_ns = scaled_time(line, 4, "the time", kMicrosecondNs);
  return true;
}

bool resembles_line(const TraceStart& start) {
  if (start.fields() != 1) {
    return false;
  }
  const std::string_view line = start.field(0);
  const std::size_t comma = std::min(line.find(','), line.size());
  const std::string_view operation = line.substr(comma, 3);
  return std::count(line.begin(), line.end(), ',') == 4 &&
         (operation == ",R," || operation == ",W,");
}

}  // namespace

extern const FormatDescriptor kFormat_alibaba;
const FormatDescriptor kFormat_alibaba{
    "alibaba",
    kLine,
    TimeUnit::nanoseconds,
    true,
    resembles_line,
    [](TraceReader reader) -> std::unique_ptr<BlockSource> {
      return std::make_unique<LineTrace<BlockSource, BlockRequest, read_request>>(
          TextTrace(std::move(reader), kLine, 5, 5, ","));
    },
    kMicrosecondNs};

}  // namespace hmsim
