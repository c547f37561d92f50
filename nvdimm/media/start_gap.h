// SPDX-License-Identifier: BSD-3-Clause
// Start-Gap wear levelling of one region: Qureshi, Karidis, Franceschini, Srinivasan, Lastras and
// Abali, "Enhancing Lifetime and Security of PCM-Based Main Memory with Start-Gap Wear Leveling",
// MICRO 2009.
#pragma once

#include <cstdint>

#include "core/archive.h"

namespace hmsim {

// Mapping of lines 0 .. N - 1 to places 0 .. N. One place, the gap, is empty. Each move copies the
// line next to the gap into it; N + 1 moves advance every line by one place.
class StartGap {
 public:
  explicit StartGap(std::uint64_t lines = 1) : lines_(lines), gap_(lines) {}

  std::uint64_t places() const { return lines_ + 1; }

  std::uint64_t place(std::uint64_t line) const {
    const std::uint64_t beyond = line + start_;
    const std::uint64_t place = beyond < lines_ ? beyond : beyond - lines_;
    return place < gap_ ? place : place + 1;
  }

  void wrote() { ++writes_; }
  // Returns whether the next move is due, after psi writes since the last one (0: never).
  bool due(std::uint64_t psi) const { return psi != 0 && writes_ >= psi; }
  std::uint64_t writes() const { return writes_; }

  struct Move {
    std::uint64_t from;
    std::uint64_t to;  // the gap
  };
  Move next_move() const { return {gap_ == 0 ? lines_ : gap_ - 1, gap_}; }

  // Records that the next move's line was copied.
  void move() {
    writes_ = 0;
    if (gap_ == 0) {
      gap_ = lines_;
      start_ = start_ + 1 < lines_ ? start_ + 1 : 0;
    } else {
      --gap_;
    }
  }

  void serialize(Archive& archive) {
    archive(start_, gap_, writes_);
    archive.check(start_ < lines_ && gap_ <= lines_, "gap outside its region");
  }

 private:
  std::uint64_t lines_;
  std::uint64_t start_ = 0;
  std::uint64_t gap_;
  std::uint64_t writes_ = 0;  // since the last move
};

}  // namespace hmsim
