// SPDX-License-Identifier: BSD-3-Clause
// gem5 packet traces as text, as printed by util/decode_packet_trace.py of gem5 since December 2025
// (gem5 pull request 2844). Comment lines hold the header; a line names the columns, as the fields
// of the packet's message: tick, cmd, addr, size and, if present, flags, pkt_id and pc. A line a
// packet follows, all numbers, the command as in packet_lines.h; absent fields are empty.
//
// Columns are found by their names, and are separated as the names are: by commas, tabs or blanks.
// A header's tick_freq gives the length of a tick; without one, ticks are picoseconds. Packets that
// move no data are skipped and counted. Times count from the first packet.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "traces/column_names.h"
#include "traces/packet_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<tick>,<cmd>,<addr>,<size>,<flags>,<pkt_id>,<pc>";
constexpr std::string_view kStart = "# <<< protobuf header start";
constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;  // in a second
constexpr std::size_t kMostHeader = 1'000;                 // lines

enum Column : std::size_t { kTick, kCommand, kAddress, kSize, kId, kColumns };
constexpr std::array<std::string_view, kColumns> kNames{"tick", "cmd", "addr", "size", "pkt_id"};

// Header of the trace, which precedes the packets.
struct Header {
  std::array<std::size_t, kColumns> columns{};
  const char* separators = ",";
  std::uint64_t tick_ps = 1;  // picoseconds in a tick
};

std::string_view without_mark(std::string_view line) {
  return line.substr(0, 1) == "#" ? bare_field(line.substr(1)) : bare_field(line);
}

void read_columns(const TraceReader& reader, std::string_view line, Header& header) {
  header.separators = line.find(',') != line.npos    ? ","
                      : line.find('\t') != line.npos ? "\t"
                                                     : TextTrace::kBlanks;
  const auto names = split_columns(line, *header.separators, TextTrace::kMaxFields);
  for (std::size_t i = 0; i < kColumns; ++i) {
    const auto found = std::find(names.begin(), names.end(), kNames[i]);
    header.columns[i] = static_cast<std::size_t>(found - names.begin());
    if (found == names.end() && i != kId) {
      throw InputError(reader.file(), reader.line(),
                       "the columns do not include '" + std::string(kNames[i]) + "'");
    }
  }
}

// Reads up to the line that names the columns.
Header read_header(TraceReader& reader) {
  Header header;
  std::string_view line;
  for (std::size_t i = 0; i < kMostHeader && reader.next_line(line); ++i) {
    const std::string_view text = without_mark(line);
    constexpr std::string_view kFrequency = "tick_freq:";
    if (text.substr(0, kFrequency.size()) == kFrequency) {
      const std::string_view value = bare_field(text.substr(kFrequency.size()));
      const std::uint64_t hertz = column_number(value).value_or(0);
      if (hertz == 0 || kPicoseconds % hertz != 0) {
        throw InputError(reader.file(), reader.line(),
                         "ticks of '" + shown(value) + "' Hz; expected a divisor of 10^12 Hz");
      }
      header.tick_ps = kPicoseconds / hertz;
    } else if (text.substr(0, kNames[kTick].size()) == kNames[kTick]) {
      read_columns(reader, text, header);
      return header;
    }
  }
  throw InputError(reader.file() +
                   ": no line names the columns tick, cmd, addr, size; the packed trace is read "
                   "with format: gem5");
}

class FieldsTrace final : public TextPackets {
 public:
  FieldsTrace(TraceReader reader, const Header& header)
      : TextPackets(
            TextTrace(std::move(reader), kLine, 1, TextTrace::kMaxFields, header.separators,
                      *header.separators == ' ' ? TextTrace::Ends::runs : TextTrace::Ends::each)),
        header_(header) {}

  bool read_packet(Access& access) override {
    if (is_names()) {
      return false;
    }
    const std::uint64_t tick = value(kTick);
    const std::uint64_t size = value(kSize);
    const PacketKind kind = packet_kind(value(kCommand));
    const std::uint64_t ticks = since_first(tick);
    if (kind == PacketKind::other || size == 0) {
      return skip();
    }
    Access packet;
    packet.address = value(kAddress);
    packet.write = kind == PacketKind::write;
    if (ticks > static_cast<std::uint64_t>(kNever.value()) / header_.tick_ps) {
      text().fail("tick " + std::to_string(tick) + " is too far after the first one");
    }
    packet.cycle = ticks * header_.tick_ps;
    const std::size_t id = header_.columns[kId];
    packet.requestor = id < text().fields() && !text().field(id).empty() ? value(kId) : 0;
    return begin(access, packet, size);
  }

 private:
  // Returns whether the present line is the one that names the columns.
  bool is_names() const {
    const std::size_t tick = header_.columns[kTick];
    return tick < text().fields() && text().field(tick) == kNames[kTick];
  }
  std::uint64_t value(Column column) const {
    if (header_.columns[column] >= text().fields()) {
      text().fail("the line has no " + std::string(kNames[column]));
    }
    return text().number(header_.columns[column], kNames[column].data());
  }

  Header header_;
};

}  // namespace

extern const FormatDescriptor kFormat_gem5_fields{
    "gem5_fields",
    "gem5's packets as text since December 2025: columns tick, cmd, addr, size, ... by name",
    TimeUnit::picoseconds,
    true,
    [](const TraceStart& start) {
      const std::string_view bytes = start.bytes();
      return bytes.substr(std::min(bytes.find('#'), bytes.size()), kStart.size()) == kStart;
    },
    [](TraceReader reader, const AddressLevels&) -> std::unique_ptr<AccessSource> {
      const Header header = read_header(reader);
      reader.rewind();
      return std::make_unique<FieldsTrace>(std::move(reader), header);
    }};

}  // namespace hmsim
