// SPDX-License-Identifier: BSD-3-Clause
// The block traces of Microsoft Research Cambridge (Narayanan et al., Write off-loading, FAST
// 2008): commas between the time (a count of 100 ns), host, disk, Read or Write, the offset and the
// size in bytes, and the response time, a count of 100 ns, too.
#include <algorithm>
#include <utility>

#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "<time in 100 ns>,<host>,<disk>,Read|Write,<offset>,<bytes>,<response time>";
constexpr std::uint64_t kTimeUnit = 100;  // ns
constexpr std::size_t kResponse = 6;      // field

bool read_request(const TextTrace& line, BlockRequest& request) {
  request.arrival_ns = scaled_time(line, 0, "the time", kTimeUnit);
  request.device = line.number(2, "the disk");
  request.write = line.field(3) == "Write";
  if (!request.write && line.field(3) != "Read") {
    line.fail("'" + shown(line.field(3)) + "' is neither Read nor Write");
  }
  set_extent(line, line.number(4, "the offset"), line.number(5, "the size"), request);
  if (line.fields() > kResponse) {
    set_response(line, scaled_time(line, kResponse, "the response time", kTimeUnit), request);
  }
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_msr;
const FormatDescriptor kFormat_msr{
    "msr",
    kLine,
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart& start) {
      return start.fields() == 1 &&
             std::count(start.field(0).begin(), start.field(0).end(), ',') == 6;
    },
    [](TraceReader reader) -> std::unique_ptr<BlockSource> {
      return std::make_unique<LineTrace<BlockSource, BlockRequest, read_request>>(
          TextTrace(std::move(reader), kLine, 6, 7, ","));
    },
    kTimeUnit,
    true};

}  // namespace hmsim
