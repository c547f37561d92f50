// SPDX-License-Identifier: BSD-3-Clause
// Stages of a workload: the agents of a stage begin when all agents of the stages before it have
// ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

class Stages {
 public:
  static constexpr std::int64_t kNone = -1;  // an agent that begins at once and repeats its work

  class Member {
   public:
    virtual ~Member() = default;
    virtual void begin_stage(Tick now) = 0;
  };

  // Adds a member, which must outlive the last call.
  void join(std::int64_t stage, Member& member) { members_[stage].push_back(&member); }
  // Begins the first stage. Call once, after all members have joined.
  void begin(Tick now) {
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

  // Reports that a member of the present stage has ended, once for each member. The next stage
  // begins within the call.
  void ended(Tick now) {
    if (--left_ == 0) {
      begin(now);
    }
  }

  void serialize(Archive& archive) {
    archive(begun_, left_);
    archive.check(begun_ <= members_.size(), "invalid stage of a workload");
    const bool any = begun_ > 0 && begun_ <= members_.size();
    const std::size_t most =
        any ? std::next(members_.begin(), static_cast<std::ptrdiff_t>(begun_ - 1))->second.size()
            : 0;
    archive.check(left_ <= most, "invalid number of agents in a stage");
  }

 private:
  std::map<std::int64_t, std::vector<Member*>> members_;  // by stage
  std::size_t begun_ = 0;                                 // stages
  std::size_t left_ = 0;  // members of the present stage that have not ended
};

}  // namespace hmsim
