// SPDX-License-Identifier: BSD-3-Clause
// gem5 packet traces as text, as printed by util/decode_packet_trace.py of gem5 24.0. Fields,
// separated by commas: the packet's id, if it has one; r (ReadReq), w (WriteReq) or u (any other
// command); address; size; flags; tick; and the instruction's address, if the packet has one. All
// numbers are decimal. A line with three numbers after the letter has no flags.
//
// Ticks are taken as picoseconds, gem5's default, because the text does not state the unit. Packets
// u are skipped and counted; the binary trace (format gem5) records their commands. Times count
// from the first packet.
#include <algorithm>
#include <utility>

#include "traces/packet_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "[<id>,]r|w|u,<address>,<size>[,<flags>],<tick>[,<pc>]";
constexpr std::size_t kLeast = 3;  // numbers after the letter
constexpr std::size_t kMost = 5;

bool is_command(std::string_view text) { return text == "r" || text == "w" || text == "u"; }

class Gem5Text final : public TextPackets {
 public:
  explicit Gem5Text(TraceReader reader)
      : TextPackets(TextTrace(std::move(reader), kLine, kLeast + 1, kMost + 2, ",")) {}

  bool read_packet(Access& access) override {
    const std::size_t letter = is_command(text().field(0)) ? 0 : 1;
    const std::size_t numbers = text().fields() - letter - 1;
    if (!is_command(text().field(letter)) || numbers < kLeast || numbers > kMost) {
      text().fail("expected '" + std::string(kLine) + "'");
    }
    const std::uint64_t ticks =
        since_first(text().number(letter + (numbers == kLeast ? 3 : 4), "the tick"));
    const std::uint64_t size = text().number(letter + 2, "the size");
    if (text().field(letter) == "u" || size == 0) {
      return skip();
    }
    Access packet;
    packet.address = text().number(letter + 1, "the address");
    packet.write = text().field(letter) == "w";
    packet.cycle = ticks;
    packet.requestor = letter == 1 ? text().number(0, "the id") : 0;
    return begin(access, packet, size);
  }
};

bool resembles_line(const TraceStart& start) {
  std::string_view line = start.line();
  const std::string_view first = line.substr(0, line.find(','));
  if (is_decimal(first)) {
    line.remove_prefix(std::min(first.size() + 1, line.size()));
  }
  const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  return commas >= kLeast && commas <= kMost && is_command(line.substr(0, line.find(','))) &&
         line.find_first_not_of("0123456789,", 1) == std::string_view::npos;
}

}  // namespace

extern const FormatDescriptor kFormat_gem5_text{
    "gem5_text", kLine,          TimeUnit::picoseconds,
    true,        resembles_line, open_with<AccessSource, Gem5Text, const AddressLevels&>};

}  // namespace hmsim
