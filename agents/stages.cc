// SPDX-License-Identifier: BSD-3-Clause
#include "agents/stages.h"

#include <iterator>

namespace hmsim {

void Stages::begin(Tick now) {
  if (begun_ == members_.size()) {
    return;
  }
  const auto stage = std::next(members_.begin(), static_cast<std::ptrdiff_t>(begun_));
  ++begun_;
  left_ = stage->second.size();
  for (Member* const member : stage->second) {
    member->begin_stage(now);
  }
}

void Stages::ended(Tick now) {
  if (--left_ == 0) {
    begin(now);
  }
}

void Stages::serialize(Archive& archive) {
  archive(begun_, left_);
  archive.check(begun_ <= members_.size(), "invalid stage of a workload");
  const bool any = begun_ > 0 && begun_ <= members_.size();
  const std::size_t most =
      any ? std::next(members_.begin(), static_cast<std::ptrdiff_t>(begun_ - 1))->second.size() : 0;
  archive.check(left_ <= most, "invalid number of agents in a stage");
}

}  // namespace hmsim
