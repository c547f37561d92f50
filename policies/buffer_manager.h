// SPDX-License-Identifier: BSD-3-Clause
// Decisions about commands in the NVDIMM's queue: the host has sent them, but they have not been
// looked up in the synchronisation buffer yet. Their addresses are already known. The NVDIMM finds
// the candidates, oldest first, and asks the manager about each.
#pragma once

#include <cstdint>

#include "policies/policy.h"

namespace hmsim {

// A queued read whose page is neither in the buffer nor on its way, and whose LUN is idle.
struct PrefetchView {
  std::uint32_t luns;
  std::uint32_t under_way;    // prefetches in flight
  std::uint64_t free;         // frames of the read part
  std::uint64_t replaceable;  // frames with clean pages that no command uses or requests
};

// State of the buffer's write part.
struct WritePartView {
  std::uint64_t frames;
  std::uint64_t free;          // free frames and frames being freed, minus pages waiting for one
  std::uint64_t queued_pages;  // pages without a frame that queued writes target
};

class BufferManager : public Policy {
 public:
  // Returns whether the buffer must watch the command queue; false if the manager never acts. While
  // the queue is watched, frames that queued commands need are evicted last.
  virtual bool watches_queue() const { return true; }

  // Returns whether to prefetch the next candidate page. A prefetch takes a free frame if there is
  // one; otherwise it replaces a page.
  virtual bool prefetch(const PrefetchView& /*view*/) const { return false; }
  // Returns how many frames of the write part to keep free. Idle LUNs write pages back early to
  // reach that number. Called after each change of the write part.
  virtual std::uint64_t frames_to_keep_free(const WritePartView& /*view*/) { return 0; }
};

}  // namespace hmsim
