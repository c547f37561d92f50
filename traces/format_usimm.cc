// SPDX-License-Identifier: BSD-3-Clause
// USIMM input traces, including those of the Memory Scheduling Championship (USIMM 1.3, src/main.c;
// Chatterjee et al., USIMM: the Utah SImulated Memory Module, UUCS-12-002, 2012). Fields: number of
// instructions without memory accesses before this one, R or W, address, and for reads the address
// of the instruction, both hexadecimal. Reads are last-level cache misses, writes are write-backs.
// As in USIMM, each takes the place of one instruction, and writes never stall.
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<instructions> R <address> <instruction's address>|W <address>";

bool read_miss(const TextTrace& line, Miss& miss) {
  const std::uint64_t others = line.number(0, "the number of instructions");
  if (others >= kMaxGap) {
    line.fail("more than 2^48 instructions before one access");
  }
  miss.gap = static_cast<std::int64_t>(others) + 1;
  miss.write = line.either(1, "R", "W");
  miss.load = !miss.write;
  (miss.load ? miss.load_address : miss.write_address) = line.hexadecimal(2, "the address");
  if (line.fields() == 4) {
    line.hexadecimal(3, "the instruction's address");
  }
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_usimm{
    "usimm",
    kLine,
    TimeUnit::instructions,
    false,
    [](const TraceStart& start) {
      return (start.fields() == 3 || start.fields() == 4) && is_decimal(start.field(0)) &&
             (start.field(1) == "R" || start.field(1) == "W");
    },
    open_lines<MissSource, Miss, std::optional<unsigned>, kLine, 3, 4, read_miss>};

}  // namespace hmsim
