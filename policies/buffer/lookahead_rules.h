// SPDX-License-Identifier: BSD-3-Clause
// Rules shared by the policies of the buffer (docs/schedulers.md).
#pragma once

#include <algorithm>

#include "core/parameters.h"
#include "policies/buffer_manager.h"

namespace hmsim {

// Returns whether another prefetch may start. At most as many prefetches as LUNs are in flight, and
// each needs a free or replaceable frame, so that a prefetch never takes a frame that another
// command is about to use.
inline bool may_prefetch(const PrefetchView& view) {
  return view.under_way < std::min<std::uint64_t>(view.luns, view.free + view.replaceable);
}

// Returns the share of the frames, to a millionth, rounded up.
inline std::uint64_t frames_of(double percent, std::uint64_t frames) {
  constexpr std::uint64_t kWhole = 1'000'000;
  return (frames * static_cast<std::uint64_t>(percent * 1e4 + 0.5) + kWhole - 1) / kWhole;
}

// Computes how many frames to keep free: a low-water mark, or as many frames as queued writes are
// about to need, whichever is larger.
class FreeFrames {
 public:
  void declare(ParameterSet& parameters) {
    parameters.real("low_water", percent_, 0, 100, "percent of the write part",
                    {"free frames below which pages are written back early",
                     "5: assumed; 0, queued pages only: the paper, section V-B2"});
  }
  std::uint64_t wanted(const WritePartView& view) const {
    return std::max(frames_of(percent_, view.frames), view.queued_pages);
  }

 private:
  double percent_ = 5;
};

}  // namespace hmsim
