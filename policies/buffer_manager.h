// SPDX-License-Identifier: BSD-3-Clause
// What the NVDIMM does for commands that are still in its queue: sent by the host, and not yet
// looked up in the synchronisation buffer. Their addresses are known already. The NVDIMM finds the
// candidates, oldest first, and asks for each.
#pragma once

#include <cstdint>

#include "policies/policy.h"

namespace hmsim {

// A queued read asks for a page that is neither in the buffer nor on its way, and the page's LUN
// has nothing to do.
struct PrefetchView {
  std::uint32_t luns;
  std::uint32_t under_way;    // prefetches
  std::uint64_t free;         // frames of the read part
  std::uint64_t replaceable;  // frames with clean pages that no command uses or asks for
};

// The write part.
struct WritePartView {
  std::uint64_t frames;
  std::uint64_t free;  // frames, those on their way to be free included, but for pages that wait
  std::uint64_t queued_pages;  // to which queued writes go, and which have no frame
};

class BufferManager : public Policy {
 public:
  // False: it never does anything, and the queue need not be watched. Where the queue is watched,
  // frames that queued commands ask for are evicted after all others.
  virtual bool watches_queue() const { return true; }

  // Start reading the page? It takes a free frame, or the one that is replaced next.
  virtual bool prefetch(const PrefetchView& /*view*/) const { return false; }
  // So many frames of the write part are to be free; pages are written back early for that, on idle
  // LUNs only.
  virtual std::uint64_t frames_to_keep_free(const WritePartView& /*view*/) const { return 0; }
};

}  // namespace hmsim
