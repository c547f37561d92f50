// SPDX-License-Identifier: BSD-3-Clause
// Steps of the thread that a core runs, as its job samples them (agents/node/core_sampling.h).
// Between windows, steps are joined into one without DRAM accesses, up to the thread's next step of
// another kind.
#pragma once

#include <cstdint>

#include "agents/node/core_sampling.h"
#include "agents/node/thread_step.h"
#include "core/archive.h"

namespace hmsim {

class SampledSteps {
 public:
  // Sets the sampling of the thread's job; nullptr: its steps are not sampled.
  void set_job(CoreSampling* sampling) { sampling_ = sampling; }
  bool active() const { return sampling_ != nullptr; }
  // Returns whether the last step joins steps of the thread.
  bool has_joined() const { return stretch_.instructions > 0; }

  // begin() and end() mark the slot before the first instruction of a time slice and the slot in
  // which its last one retires.
  void begin(std::int64_t slot);
  // Returns whether the slice ended because of stop().
  bool end(std::int64_t slot);
  // Returns the next step. `slot`: of the latest dispatch.
  ThreadStep next(ThreadSteps& steps, std::uint32_t thread, std::int64_t most, std::int64_t slot);
  // Takes back the last `slots` before the next step, which the core did not run, and the next
  // step. Returns the slots that the core waits in a joined step.
  std::int64_t take_back(ThreadSteps& steps, std::uint32_t thread, std::int64_t slots);

  // Makes the slice end after the last step, which is taken back in part. The thread continues.
  void stop() { stopped_ = true; }

  void serialize(Archive& archive);

 private:
  void follow_phase(std::int64_t slot);
  void follow_transfers();
  void report(std::int64_t slot);
  ThreadStep joined() const;

  CoreSampling* sampling_ = nullptr;
  Stretch stretch_;         // the last step, if it joins steps
  std::int64_t slots_ = 0;  // of that stretch
  SkipRate rate_;           // of that stretch
  bool stopped_ = false;
  CoreSampling::Stratum stratum_{};  // of the last step that it skips
  CoreSampling::Measure measure_{};
  std::uint64_t io_count_ = 0;   // of the sampling, at the last step
  std::int64_t slice_from_ = 0;  // slot
  std::int64_t from_ = 0;        // slot from which the core measures
  std::int64_t instructions_ = 0;
  std::int64_t loads_ = 0;
  std::int64_t last_slot_ = 0;   // slot at which the last step was fetched
  std::int64_t last_gap_ = 0;    // instructions of the last step, unless it skips
  std::int64_t last_loads_ = 0;  // of the last step, unless it joins steps
  std::int64_t last_waits_ = 0;  // slots, the same way
  bool last_skips_ = false;      // its load was skipped
};

}  // namespace hmsim
