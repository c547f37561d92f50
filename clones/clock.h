// SPDX-License-Identifier: BSD-3-Clause
// Times of a stream's accesses in a clone, counted in instructions or in fills.
#pragma once

#include <cstdint>
#include <vector>

#include "clones/draws.h"
#include "clones/profile.h"
#include "core/random.h"

namespace hmsim {

class CloneClock {
 public:
  // `ends` holds the count at which each phase ends, and must outlive the clock.
  CloneClock(const CloneStream& stream, const std::vector<double>& ends, double speed);

  // Advances to the next access: within a visit, or the first of one. Returns false at the end.
  bool step(bool inside, Random& random);
  double time() const { return time_; }
  std::size_t pace() const { return stream_.pace[phase_]; }

 private:
  struct Pace {
    BinDraw inside;
    BinDraw between;
    double visit = 1;        // mean accesses per visit
    double long_inside = 0;  // contribution of long gaps to the means
    double long_between = 0;
    double longest = 0;  // limit below which a gap is not long
  };

  bool next_phase();
  double begin(std::size_t phase) const { return phase == 0 ? 0 : ends_[phase - 1]; }
  double expected() const;  // total of all phases without pauses

  const CloneStream& stream_;
  const std::vector<double>& ends_;
  double speed_;
  std::vector<Pace> paces_;
  double time_ = 0;
  std::size_t phase_ = 0;
  std::int64_t left_ = 0;  // accesses left in this phase
  bool waited_ = true;     // waited for this phase, and no visit since
};

}  // namespace hmsim
