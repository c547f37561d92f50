// SPDX-License-Identifier: BSD-3-Clause
// Trims of the pages of ended sequences outside DRAM, made one at a time: by sequence, page and
// layer, keys before values.
#pragma once

#include <cstdint>

#include "agents/llm/decode_view.h"

namespace hmsim {

class TrimWalk {
 public:
  TrimWalk() = default;
  explicit TrimWalk(const DecodeView& view) : view_(view) {}

  void begin() { *this = TrimWalk(view_); }
  // Returns false after the last one. Extents are of stage 0.
  bool next(Extent& extent);

  void serialize(Archive& archive);

 private:
  DecodeView view_;
  std::uint32_t sequence_ = 0;
  std::uint64_t page_ = 0;
  std::uint32_t stage_ = 1;
  std::uint32_t half_ = 0;
};

}  // namespace hmsim
