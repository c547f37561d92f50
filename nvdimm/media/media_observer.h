// SPDX-License-Identifier: BSD-3-Clause
// Operations of the banks of byte-addressable media, and the interface through which checkers
// observe them.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace hmsim {

// update: a write of a line of which only a part is known, so that the bank reads it first.
enum class MediaOperation : std::uint8_t { read, write, move, update, last = update };

struct MediaRecord {
  Tick start;
  Tick end;
  MediaOperation operation;
  std::uint32_t bank;
  std::uint64_t line;   // media line in the module, in the host's numbering; unused for moves
  std::uint64_t place;  // of the line in the module, region by region; of a move: the new one
  std::uint64_t from;   // moves: the previous place
};

class MediaObserver {
 public:
  virtual ~MediaObserver() = default;
  // Called when an operation begins.
  virtual void on_media(const MediaRecord& record) = 0;
  // Before the first record: reports a region's empty place, and its writes since the last move.
  virtual void on_gap(std::uint64_t region, std::uint64_t place, std::uint64_t writes) = 0;
};

}  // namespace hmsim
