// SPDX-License-Identifier: BSD-3-Clause
// Step of a thread, as given to the core that runs it.
#pragma once

#include <array>
#include <cstdint>

#include "core/archive.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Whether the step before copied the last line of a read ([0]) or of a write ([1]).
using CopiesEnded = std::array<bool, 2>;

// Part of a step that belongs to a block request whose lines a core copies by loads and stores.
struct CopyPart {
  std::int64_t instructions = 0;  // the last ones of the step; they copy its line
  bool write = false;             // direction of the request that the step begins or ends
  bool begins = false;            // it copies the request's first line
  bool ends = false;              // it copies the request's last line
  CopiesEnded ended{};

  void serialize(Archive& archive) { archive(instructions, write, begins, ends, ended); }
};

struct ThreadStep {
  enum class Kind : std::uint8_t {
    miss,      // the last of its instructions misses; another step follows
    end,       // the slice ends after its instructions, and the job acts for the thread
    preempted  // its instructions fill the time slice; the slice ends, and the thread yields
  };

  Kind kind = Kind::end;
  Miss miss;  // gap: instructions of the step, 0 or more; the rest: only for a miss
  CopyPart copy;
};

// Source of the steps of a job's threads.
class ThreadSteps {
 public:
  virtual ~ThreadSteps() = default;
  // Returns the thread's next step. The time slice ends after `most` instructions, but a transfer
  // that the core has begun to copy continues to its end.
  virtual ThreadStep next(std::uint32_t thread, std::int64_t most) = 0;
  // Returns whether take_back() is allowed: the transfer of the last step, if any, has not begun.
  virtual bool may_take_back(std::uint32_t thread) const = 0;
  // Takes back the last step and the last `instructions` before it, which the core did not run.
  // next() returns them again. The slice ends as preempted.
  virtual void take_back(std::uint32_t thread, std::int64_t instructions) = 0;
};

}  // namespace hmsim
