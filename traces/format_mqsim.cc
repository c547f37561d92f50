// SPDX-License-Identifier: BSD-3-Clause
// MQSim block traces (MQSim, src/host/ASCII_Trace_Definition.h): arrival in ns, device, first
// sector, number of 512-byte sectors, type (0: write, 1: read).
#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "<arrival ns> <device> <first sector> <sectors> <type: 0 write, 1 read>";

bool read_request(const TextTrace& line, BlockRequest& request) {
  request.arrival_ns = line.number(0, "the arrival");
  request.device = line.number(1, "the device");
  request.sector = line.number(2, "the first sector");
  request.sectors = line.number(3, "the number of sectors");
  const std::uint64_t type = line.number(4, "the type");
  check_sectors(line, request.sector, request.sectors);
  if (type > 1) {
    line.fail("type " + std::to_string(type) + " is neither 0 (write) nor 1 (read)");
  }
  request.write = type == 0;
  return true;
}

bool read_plain(FastLine& line, BlockRequest& request) {
  std::uint64_t type = 0;
  const bool plain = line.decimal(request.arrival_ns, ' ') && line.decimal(request.device, ' ') &&
                     line.decimal(request.sector, ' ') && line.decimal(request.sectors, ' ') &&
                     line.decimal(type, '\n');
  request.write = type == 0;
  return plain && type <= 1 && sectors_fit(request.sector, request.sectors);
}

}  // namespace

extern const FormatDescriptor kFormat_mqsim{
    "mqsim",
    kLine,
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart& start) { return start.all_numbers(5); },
    open_lines<BlockSource, BlockRequest, const ColumnMap&, kLine, 5, 5, read_request, read_plain>};

}  // namespace hmsim
