// SPDX-License-Identifier: BSD-3-Clause
// Requests of one kind to one tier: a walk's extents cut into pieces, and the pieces in flight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agents/llm/walk.h"
#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

// Stages are numbers below 2^31; -1 stands for none.
template <class Loops>
class Lane {
 public:
  struct Piece {
    std::uint64_t offset;
    std::uint64_t bytes;
    bool last;  // of its extent
  };

  Lane() = default;
  // `limit`: most pieces in flight. `capacity`: bytes of the tier that extents may use.
  Lane(Loops loops, std::uint32_t stages, std::int64_t limit, std::uint64_t capacity)
      : walk_(loops), pending_(stages), limit_(limit), capacity_(capacity) {}

  // Begins the walk. No piece is in flight.
  void begin() {
    walk_.begin();
    rest_ = 0;
    ended_ = false;
  }
  // Returns whether a piece of a stage up to `last_stage` can be sent now.
  bool ready(std::int64_t last_stage) {
    return in_flight_ < limit_ && look() && static_cast<std::int64_t>(extent_.stage) <= last_stage;
  }
  // Takes a piece of at most `most` bytes. The lane is ready.
  Piece take(std::uint64_t most) {
    const std::uint64_t bytes = std::min(rest_, most);
    const std::uint64_t offset = extent_.offset + extent_.bytes - rest_;
    rest_ -= bytes;
    ++in_flight_;
    ++pending_[extent_.stage];
    return {offset, bytes, rest_ == 0};
  }
  // Returns the extent of the last piece taken, or of the next one once the lane is ready.
  const Extent& extent() const { return extent_; }
  // Records that a piece is done.
  void done(std::uint32_t stage, Tick now) {
    ensure(stage < pending_.size() && pending_[stage] > 0, "llm_decode", now, stage,
           "completion of a request that was not sent");
    --in_flight_;
    --pending_[stage];
  }
  bool pending(std::uint32_t stage) const { return pending_[stage] > 0; }
  // Returns whether all pieces of the stage, and of those before it, are done.
  bool passed(std::uint32_t stage) {
    return pending_[stage] == 0 && (!look() || extent_.stage > stage);
  }
  bool finished() { return in_flight_ == 0 && !look(); }

  void serialize(Archive& archive) {
    archive(walk_, extent_, rest_, ended_, in_flight_);
    archive.fixed(pending_);
    archive.check(extent_.stage < pending_.size() && in_flight_ >= 0 && rest_ <= extent_.bytes &&
                      extent_.offset <= capacity_ && extent_.bytes <= capacity_ - extent_.offset,
                  "invalid extent of a decode step");
  }

 private:
  // Looks at the next piece. Returns false if none remains.
  bool look() {
    if (rest_ == 0 && !ended_) {
      ended_ = !walk_.next(extent_);
      rest_ = ended_ ? 0 : extent_.bytes;
    }
    return !ended_;
  }

  Walk<Loops> walk_;
  Extent extent_;
  std::uint64_t rest_ = 0;  // of the extent, in bytes
  bool ended_ = true;
  std::int64_t in_flight_ = 0;
  std::vector<std::uint32_t> pending_;  // pieces in flight by stage
  std::int64_t limit_ = 0;
  std::uint64_t capacity_ = 0;
};

}  // namespace hmsim
