// SPDX-License-Identifier: BSD-3-Clause
// What the banks of byte-addressable media do, and the hook through which checkers see it.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace hmsim {

enum class MediaOperation : std::uint8_t { read, write, move, last = move };

struct MediaRecord {
  Tick start;
  Tick end;
  MediaOperation operation;
  std::uint32_t bank;
  std::uint64_t line;   // of the module, as the host numbers them; not of moves
  std::uint64_t place;  // of a line in the module, region by region: read, written or moved to
  std::uint64_t from;   // moves: the place before
};

class MediaObserver {
 public:
  virtual ~MediaObserver() = default;
  // An operation begins.
  virtual void on_media(const MediaRecord& record) = 0;
  // Before the first record: a region's empty place, and the writes to it since that moved.
  virtual void on_gap(std::uint64_t region, std::uint64_t place, std::uint64_t writes) = 0;
};

}  // namespace hmsim
