// SPDX-License-Identifier: BSD-3-Clause
// Page frames: the common use of nvdimm's BufferPart by the page cache and the pager.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/slot_list.h"
#include "nvdimm/buffer/sync_buffer.h"

namespace hmsim {

// `assignments`: those of the configuration, for parameters of the policy.
std::unique_ptr<BufferReplacement> create_replacement(const std::string& name,
                                                      const Assignments& assignments);

// Returns whether the frame holds its page.
inline bool holds_page(const Frame& frame) {
  return frame.state == FrameState::clean || frame.state == FrameState::dirty;
}

// On load, checks that keys are below `keys`, and that a pinned frame holds its page and is not
// listed, because its last unpin lists it.
void check_frames(const Archive& archive, const BufferPart& frames, std::int64_t keys);

// Saves or loads the waiters of each frame, in order. Waiters are indices of `size` records,
// chained through `links`. On load, takes each waiter in `waiters`, so that none waits twice.
template <class Links>
void serialize_waiters(Archive& archive, BufferPart& frames, const Links& links, std::size_t size,
                       SlotClaims& waiters) {
  for (std::uint32_t frame = 0; frame < frames.records(); ++frame) {
    serialize_slots(archive, frames[frame].waiters, links, size,
                    [&waiters](std::uint32_t waiter) { waiters.claim(waiter); });
  }
}

}  // namespace hmsim
