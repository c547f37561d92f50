// SPDX-License-Identifier: BSD-3-Clause
// The 64-byte lines that a packet of memory traffic touches, in order.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/types.h"
#include "traces/trace_formats.h"

namespace hmsim {

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
    const std::uint64_t first = packet.address / kLine;
    left_ = (packet.address + (bytes - 1)) / kLine - first;
    Access line = packet;
    line.address = first * kLine;
    if (left_ > 0) {
      next_ = line;
      next_.address += kLine;
    }
    return line;
  }
  bool empty() const { return left_ == 0; }  // whether no line is left
  Access take() {                            // the next line; one must be left
    const Access line = next_;
    next_.address += kLine;
    --left_;
    return line;
  }
  void clear() { left_ = 0; }
  void serialize(Archive& archive) {
    archive(next_, left_);
    archive.check(left_ <= kMaxBytes / kLine + 1, "too many lines in a packet");
  }

 private:
  static constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

  Access next_;
  std::uint64_t left_ = 0;
};

}  // namespace hmsim
