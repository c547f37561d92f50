// SPDX-License-Identifier: BSD-3-Clause
// Frames of pages: what the page cache and the pager share in their use of nvdimm's BufferPart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/slot_list.h"
#include "nvdimm/buffer/sync_buffer.h"

namespace hmsim {

// `assignments`: the configuration's, for the parameters of the policy.
std::unique_ptr<BufferReplacement> create_replacement(const std::string& name,
                                                      const Assignments& assignments);

// Whether the frame holds its page.
inline bool holds_page(const Frame& frame) {
  return frame.state == FrameState::clean || frame.state == FrameState::dirty;
}

// Loading: keys are below `keys`. A pinned frame holds its page and is not listed, so that it is
// listed once when its last pin goes.
void check_frames(const Archive& archive, const BufferPart& frames, std::int64_t keys);

// Saves or loads what waits for each frame, in order: some of `size` records, whose chains `links`
// has. Loading, takes each waiter in `waiters`, so that it waits once.
template <class Links>
void serialize_waiters(Archive& archive, BufferPart& frames, const Links& links, std::size_t size,
                       Places& waiters) {
  for (std::uint32_t frame = 0; frame < frames.records(); ++frame) {
    serialize_slots(archive, frames[frame].waiters, links, size,
                    [&waiters](std::uint32_t waiter) { waiters.take(waiter); });
  }
}

}  // namespace hmsim
