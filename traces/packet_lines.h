// SPDX-License-Identifier: BSD-3-Clause
// Packets of memory traffic: their kinds, and the 64-byte lines that they touch, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/archive.h"
#include "core/types.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

enum class PacketKind { read, write, other };

// Returns whether a command of gem5 is a request that reads or writes data. Commands are those of
// MemCmd::Command of gem5 24.0 (src/mem/packet.hh).
constexpr PacketKind packet_kind(std::uint64_t command) {
  switch (command) {
    case 1:   // ReadReq
    case 11:  // SoftPFReq
    case 12:  // SoftPFExReq
    case 13:  // HardPFReq
    case 20:  // SCUpgradeFailReq
    case 22:  // ReadExReq
    case 24:  // ReadCleanReq
    case 25:  // ReadSharedReq
    case 26:  // LoadLockedReq
    case 30:  // LockedRMWReadReq
      return PacketKind::read;
    case 4:   // WriteReq
    case 7:   // WritebackDirty
    case 8:   // WritebackClean
    case 9:   // WriteClean
    case 16:  // WriteLineReq
    case 27:  // StoreCondReq
    case 32:  // LockedRMWWriteReq
    case 34:  // SwapReq
      return PacketKind::write;
    default:
      return PacketKind::other;
  }
}

class PacketLines {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;  // per packet

  // Returns the error of a packet of `bytes` (at least 1) bytes at `address`; nullptr: it is valid.
  static const char* fault(std::uint64_t address, std::uint64_t bytes) {
    if (bytes > kMaxBytes) {
      return "its size exceeds 2^20 bytes";
    }
    return address + (bytes - 1) < address ? "its bytes exceed the last 64-bit address" : nullptr;
  }

  // Starts a packet of `bytes` bytes and returns its first line: `packet` with the line's address.
  Access begin(const Access& packet, std::uint64_t bytes) {
    const std::uint64_t first = packet.address / kLineSize;
    left_ = (packet.address + (bytes - 1)) / kLineSize - first;
    Access line = packet;
    line.address = first * kLineSize;
    if (left_ > 0) {
      next_ = line;
      next_.address += kLineSize;
    }
    return line;
  }
  bool empty() const { return left_ == 0; }  // whether no line is left
  Access take() {                            // the next line; one must be left
    const Access line = next_;
    next_.address += kLineSize;
    --left_;
    return line;
  }
  void clear() { left_ = 0; }
  void serialize(Archive& archive) {
    archive(next_, left_);
    archive.check(left_ <= kMaxBytes / kLineSize + 1, "too many lines in a packet");
  }

 private:
  Access next_;
  std::uint64_t left_ = 0;
};

// A trace with a packet a line.
class TextPackets : public AccessSource {
 public:
  bool next(Access& access) final {
    if (!lines_.empty()) {
      access = lines_.take();
      return true;
    }
    while (text_.next()) {
      if (read_packet(access)) {
        return true;
      }
    }
    access = Access();
    return false;
  }
  std::uint64_t skipped() const final { return skipped_; }
  void rewind() final {
    text_.rewind();
    lines_.clear();
    skipped_ = 0;
    first_tick_.reset();
  }
  double fraction() const final { return text_.fraction(); }
  void serialize(Archive& archive) final { archive(text_, lines_, skipped_, first_tick_); }

 protected:
  explicit TextPackets(TextTrace text) : text_(std::move(text)) {}
  const TextTrace& text() const { return text_; }
  // Returns the ticks since the first packet's.
  std::uint64_t since_first(std::uint64_t tick) {
    first_tick_ = first_tick_.value_or(tick);
    return tick - std::min(tick, *first_tick_);
  }
  bool skip() {
    ++skipped_;
    return false;
  }
  bool begin(Access& access, const Access& packet, std::uint64_t size) {
    if (const char* fault = PacketLines::fault(packet.address, size); fault != nullptr) {
      text_.fail(fault);
    }
    access = lines_.begin(packet, size);
    text_.accept();
    return true;
  }

 private:
  // Reads the present line. Returns true for a packet that moves data, which it passes on with
  // `return begin(access, packet, size)`.
  virtual bool read_packet(Access& access) = 0;

  TextTrace text_;
  PacketLines lines_;
  std::uint64_t skipped_ = 0;
  std::optional<std::uint64_t> first_tick_;
};

}  // namespace hmsim
