// SPDX-License-Identifier: BSD-3-Clause
// Time for which copies of garbage collection hold the bus of one flash channel.
#pragma once

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

class BusHold {
 public:
  void begin(Tick now) {
    held_ = true;
    since_ = now;
  }
  // Does nothing if the bus is not held.
  void end(Tick now) {
    if (held_) {
      before_ += now - since_;
      held_ = false;
      last_end_ = now;
    }
  }
  // Returns how long the bus has been held altogether.
  Tick total(Tick now) const { return before_ + (held_ ? now - since_ : Tick(0)); }
  Tick last_end() const { return last_end_; }

  void serialize(Archive& archive) {
    archive(held_, before_, since_, last_end_);
    archive.check(before_ >= Tick(0) && before_ < kNever && since_ < kNever && last_end_ < kNever,
                  "time of a held channel too long");
  }

 private:
  bool held_ = false;
  Tick before_{0};  // total time of the holds that have ended
  Tick since_{0};   // start of the current hold
  Tick last_end_{0};
};

}  // namespace hmsim
