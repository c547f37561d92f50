// SPDX-License-Identifier: BSD-3-Clause
// Stages of a workload: the agents of a stage begin when all agents of the stages before it have
// ended.
#pragma once

#include <cstddef>
#include <cstdint>
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
  void begin(Tick now);
  // Reports that a member of the present stage has ended, once for each member. The next stage
  // begins within the call.
  void ended(Tick now);

  void serialize(Archive& archive);

 private:
  std::map<std::int64_t, std::vector<Member*>> members_;  // by stage
  std::size_t begun_ = 0;                                 // stages
  std::size_t left_ = 0;  // members of the present stage that have not ended
};

}  // namespace hmsim
