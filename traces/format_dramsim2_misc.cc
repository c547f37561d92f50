// SPDX-License-Identifier: BSD-3-Clause
// DRAMSim2's misc traces (DRAMSim2, TraceBasedSim.cpp): an address after 0x, read or write, and for
// a write with data 64 hexadecimal digits, which are ignored. The format has no times.
#include "traces/access_words.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "0x<address> read|write [<64 hexadecimal digits>]";
constexpr std::size_t kDigits = 64;  // of the data

bool is_data(std::string_view text) {
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool read_access(const TextTrace& line, Access& access) {
  check_prefix(line);
  access.address = line.hexadecimal(0, "the address");
  access.write = line.either(1, "read", "write");
  if (line.fields() == 3 && !is_data(line.field(2))) {
    line.fail("the data '" + shown(line.field(2)) + "' are not 64 hexadecimal digits");
  }
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_dramsim2_misc{
    "dramsim2_misc",
    kLine,
    TimeUnit::none,
    false,
    [](const TraceStart& start) {
      return (start.fields() == 2 || (start.fields() == 3 && is_data(start.field(2)))) &&
             start.field(0).substr(0, 2) == "0x" &&
             (start.field(1) == "read" || start.field(1) == "write");
    },
    open_lines<AccessSource, Access, const AddressLevels&, kLine, 2, 3, read_access>};

}  // namespace hmsim
