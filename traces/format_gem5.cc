// SPDX-License-Identifier: BSD-3-Clause
// gem5 packet traces, from MemTraceProbe and CommMonitor. The letters "gem5" precede
// protocol-buffer messages (gem5's src/proto/packet.proto), each preceded by its length: one
// PacketHeader, then Packets. Requests that move data become reads and writes of lines; a packet of
// several lines becomes one access per line. Other packets are skipped and counted. Times count
// from the first packet.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "traces/packet_lines.h"
#include "traces/plain_packet.h"
#include "traces/trace_reader.h"

namespace hmsim {

namespace {

constexpr std::size_t kMaxMessage = std::size_t{1} << 20;  // bytes
constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;  // in a second

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

class Gem5Trace final : public AccessSource {
 public:
  explicit Gem5Trace(TraceReader reader) : reader_(std::move(reader)) { read_header(); }

  bool next(Access& access) override {
    if (!lines_.empty()) {
      access = lines_.take();
      return true;
    }
    for (Packet packet; read_packet(packet);) {
      first_tick_ = packet_ == 1 ? packet.tick : first_tick_;
      const PacketKind kind = packet_kind(packet.command);
      if (kind != PacketKind::other && packet.size > 0) {
        access = lines_.begin(access_of(packet, kind == PacketKind::write), packet.size);
        any_ = true;
        return true;
      }
      ++skipped_;
    }
    if (!any_) {
      throw InputError(reader_.file() + ": the trace contains no reads and no writes, only " +
                       std::to_string(skipped_) + " other packets");
    }
    access = Access();
    return false;
  }
  std::uint64_t skipped() const override { return skipped_; }
  void rewind() override {
    reader_.rewind();
    packet_ = skipped_ = 0;
    lines_.clear();
    read_header();
  }
  double fraction() const override { return reader_.fraction(); }
  void serialize(Archive& archive) override {
    archive(packet_, any_, skipped_, first_tick_, lines_, reader_);
  }

 private:
  // Throws an error of type E at the present packet. Damage of the file itself is an InputError.
  template <class E = InputError>
  [[noreturn]] void fail(const std::string& message) const {
    throw E(reader_.file() + ": " +
            (packet_ == 0 ? "header" : "packet " + std::to_string(packet_)) + ": " + message);
  }

  // Reads the next message's bytes. Returns false at the end of the trace.
  bool read_message() {
    std::uint64_t size = 0;
    char byte = 0;
    for (int shift = 0;; shift += 7) {
      if (reader_.read(&byte, 1) == 0) {
        if (shift == 0) {
          return false;
        }
        fail("the file ends within it");
      }
      size |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) {
        break;
      }
      if (shift == 28) {
        fail("its length is not a 32-bit number");
      }
    }
    if (size > kMaxMessage) {
      fail("is longer than " + std::to_string(kMaxMessage) + " bytes");
    }
    message_ = reader_.read(static_cast<std::size_t>(size), buffer_);
    if (message_.size() != size) {
      fail("the file ends within it");
    }
    return true;
  }

  // Reads the message's next field. For a numeric field, sets `value`. Returns false at the end of
  // the message.
  bool field(std::uint64_t& number, Wire& wire, std::uint64_t& value) {
    if (message_.empty()) {
      return false;
    }
    const std::uint64_t key = varint();
    number = key >> 3;
    wire = static_cast<Wire>(key & 7);
    std::uint64_t bytes = 0;
    switch (wire) {
      case Wire::varint:
        value = varint();
        return true;
      case Wire::fixed64:
        bytes = 8;
        break;
      case Wire::fixed32:
        bytes = 4;
        break;
      case Wire::bytes:
        bytes = varint();
        break;
      default:
        fail("a field of unknown type " + std::to_string(key & 7));
    }
    if (bytes > message_.size()) {
      fail("a field is longer than its message");
    }
    message_.remove_prefix(static_cast<std::size_t>(bytes));
    return true;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (message_.empty()) {
        fail("a number ends early");
      }
      const auto byte = static_cast<unsigned char>(message_.front());
      message_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80) == 0) {
        return value;
      }
    }
    fail("a number is longer than 64 bits");
  }

  void read_header() {
    if (reader_.read(4, buffer_) != "gem5") {
      throw InputError(reader_.file() + ": is not a trace of gem5: it does not begin with 'gem5'");
    }
    if (!read_message()) {
      fail("is missing");
    }
    std::uint64_t frequency = 0;
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    for (Wire wire{}; field(number, wire, value);) {
      if (number == 3 && wire == Wire::varint) {
        frequency = value;
      }
    }
    if (frequency == 0 || (frequency % kPicoseconds != 0 && kPicoseconds % frequency != 0)) {
      fail("ticks of " + std::to_string(frequency) +
           " Hz; expected a divisor or a multiple of 10^12 Hz");
    }
    slower_ = std::max<std::uint64_t>(kPicoseconds / frequency, 1);
    faster_ = std::max<std::uint64_t>(frequency / kPicoseconds, 1);
    latest_ = static_cast<std::uint64_t>(kNever.value()) / slower_;
  }

  // Reads the next packet. Returns false at the end of the trace.
  bool read_packet(Packet& packet) {
    ++packet_;
    const std::string_view text = reader_.unread_records();
    PlainPacket plain(text.data());
    if (text.size() < PlainPacket::kText || !plain.read(packet)) {
      return read_any_packet(packet);
    }
    reader_.pass(plain.length());
    return true;
  }

  // As read_packet(), for a packet of any encoding. Throws InputError if it is malformed.
  [[gnu::noinline]] bool read_any_packet(Packet& packet) {
    constexpr std::size_t kFields = static_cast<std::size_t>(PacketField::id) + 1;
    constexpr const char* kNames[] = {"", "tick", "cmd", "addr", "size"};
    if (!read_message()) {
      return false;
    }
    std::array<std::uint64_t, kFields> values{};
    std::array<bool, kFields> found{};
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    for (Wire wire{}; field(number, wire, value);) {
      if (number < kFields && wire == Wire::varint) {
        values[number] = value;
        found[number] = true;
      }
    }
    for (std::size_t each = 1; each < std::size(kNames); ++each) {
      if (!found[each]) {
        fail(std::string("has no ") + kNames[each]);
      }
    }
    const auto of = [&](PacketField field) { return values[static_cast<std::size_t>(field)]; };
    packet = {of(PacketField::tick), of(PacketField::command), of(PacketField::address),
              of(PacketField::size), of(PacketField::id)};
    return true;
  }

  // Converts a packet that moves data to an access. Throws RecordError if its address, size or time
  // is out of range.
  Access access_of(const Packet& packet, bool write) const {
    if (const char* fault = PacketLines::fault(packet.address, packet.size); fault != nullptr) {
      fail<RecordError>(fault);
    }
    const std::uint64_t ticks = packet.tick - std::min(first_tick_, packet.tick);
    const std::uint64_t whole = faster_ == 1 ? ticks : ticks / faster_;  // the division is rare
    if (whole > latest_) {
      fail<RecordError>("tick " + std::to_string(packet.tick) + " is too far after the first one");
    }
    return {packet.address, write, whole * slower_, packet.id};
  }

  TraceReader reader_;
  std::string buffer_;
  std::string_view message_;   // unread part of the present message
  std::uint64_t packet_ = 0;   // number of the present packet, from 1
  std::uint64_t slower_ = 1;   // picoseconds per tick, if ticks are longer
  std::uint64_t faster_ = 1;   // ticks per picosecond, if ticks are shorter
  std::uint64_t latest_ = 0;   // limit of times since the first packet, in units of `slower_` ps
  std::uint64_t skipped_ = 0;  // packets
  std::uint64_t first_tick_ = 0;
  PacketLines lines_;
  bool any_ = false;
};

}  // namespace

extern const FormatDescriptor kFormat_gem5{
    "gem5",
    "binary, gem5's packet traces",
    TimeUnit::picoseconds,
    true,
    [](const TraceStart& start) { return start.begins_with("gem5"); },
    open_with<AccessSource, Gem5Trace, const AddressLevels&>};

}  // namespace hmsim
