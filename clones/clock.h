// SPDX-License-Identifier: BSD-3-Clause
// When a stream of a clone makes its accesses: by a count of instructions, or of fills.
#pragma once

#include <cstdint>
#include <vector>

#include "clones/draws.h"
#include "clones/profile.h"
#include "core/random.h"

namespace hmsim {

class CloneClock {
 public:
  // `ends`: the count at which each phase ends; it must outlive the clock.
  CloneClock(const CloneStream& stream, const std::vector<double>& ends, double speed);

  // Goes to the next access, within a visit or its first; false when there are no more.
  bool step(bool inside, Random& random);
  double time() const { return time_; }
  std::size_t pace() const { return stream_.pace[phase_]; }

 private:
  struct Pace {
    BinDraw inside;
    BinDraw between;
    double visit = 1;        // accesses of a visit, on average
    double long_inside = 0;  // the parts of their means that long gaps make up
    double long_between = 0;
    double longest = 0;  // of gaps that are not long
  };

  bool next_phase();
  double begin(std::size_t phase) const { return phase == 0 ? 0 : ends_[phase - 1]; }
  double expected() const;  // of all phases, without long pauses

  const CloneStream& stream_;
  const std::vector<double>& ends_;
  double speed_;
  std::vector<Pace> paces_;
  double time_ = 0;
  std::size_t phase_ = 0;
  std::int64_t left_ = 0;  // accesses of this phase
  bool waited_ = true;     // for this phase
};

}  // namespace hmsim
