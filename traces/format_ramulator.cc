// SPDX-License-Identifier: BSD-3-Clause
// Ramulator's filtered CPU traces (Ramulator, src/Processor.cpp, Trace::get_request). Each line is
// a load that missed the last-level cache: the number of other instructions before it, its address,
// and the address of the write-back that it caused, if any.
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<instructions> <read address> [<write-back address>]";

bool read_miss(const TextTrace& line, Miss& miss) {
  const std::uint64_t others = line.number(0, "the number of instructions");
  if (others >= kMaxGap) {
    line.fail("more than 2^48 instructions before one read");
  }
  miss.gap = static_cast<std::int64_t>(others) + 1;
  miss.load = true;
  miss.load_address = line.number(1, "the read address");
  if (line.fields() == 3) {
    miss.write = true;
    miss.write_address = line.number(2, "the write-back address");
  }
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_ramulator{
    "ramulator",
    "<instructions> <read address> [<write-back address>], decimal or 0x",
    TimeUnit::instructions,
    false,
    [](const TraceStart& start) { return start.all_numbers(2) || start.all_numbers(3); },
    open_lines<MissSource, Miss, std::optional<unsigned>, kLine, 2, 3, read_miss>};

}  // namespace hmsim
