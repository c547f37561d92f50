// SPDX-License-Identifier: BSD-3-Clause
// Contents of the frames of one buffer part, in data mode. The frames' masks define which bytes are
// valid.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/request.h"
#include "nvdimm/buffer/buffer_parameters.h"
#include "nvdimm/nand/flash_media.h"

namespace hmsim {

class FrameBytes {
 public:
  explicit FrameBytes(BufferGranularity granularity)
      : items_(granularity == BufferGranularity::item) {}

  // Returns a line of the frame's bytes: zeros if the frame was never written. `line`: index in the
  // page, 0 to 63.
  LineBytes read(std::uint32_t frame, std::size_t line) const {
    LineBytes bytes{};
    if (frame < frames_.size() && !frames_[frame].empty()) {
      std::memcpy(bytes.data(), frames_[frame].data() + offset(line), bytes.size());
    }
    return bytes;
  }
  void write(std::uint32_t frame, std::size_t line, const std::uint8_t* bytes) {
    if (frames_.size() <= frame) {
      frames_.resize(std::size_t{frame} + 1);
    }
    frames_[frame].resize(size());
    std::memcpy(frames_[frame].data() + offset(line), bytes, sizeof(LineBytes));
  }

  void serialize(Archive& archive) {
    archive(frames_);
    for (const std::string& bytes : frames_) {
      archive.check(bytes.empty() || bytes.size() == size(), "incomplete bytes of a frame");
    }
  }

 private:
  std::size_t size() const { return items_ ? sizeof(LineBytes) : sizeof(PageBytes); }
  std::size_t offset(std::size_t line) const { return items_ ? 0 : line * sizeof(LineBytes); }

  bool items_;
  std::vector<std::string> frames_;
};

}  // namespace hmsim
