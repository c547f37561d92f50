// SPDX-License-Identifier: BSD-3-Clause
// What the NVDIMM does for commands that have not been looked up yet.
#include "nvdimm/nvdimm.h"

namespace hmsim {

// Fetches pages of queued reads, as far as the buffer manager allows.
void Nvdimm::prefetch(Tick now) {
  BufferPart& part = buffer_.read;
  for (std::int64_t key = 0; lookahead_->next_prefetch(key);) {
    if (part.full()) {
      part.release(part.victim());
    }
    const std::uint32_t frame = part.add(key);
    part.admit();
    part[frame].prefetched = true;
    owe_read(part[frame], ftl_.read_lun(buffer_.page_of(key)));
    ++statistics_.prefetches;
    start_fill(frame, FlashPriority::prefetch, now);
  }
}

// Writes pages back before a write needs their frames.
void Nvdimm::keep_frames_free(Tick now) {
  while (lookahead_ != nullptr && buffer_.write.waiting() == 0 &&
         lookahead_->wants_free_frame(leaving_)) {
    const std::size_t frames = evictor_.start_early(now);
    if (frames == 0) {
      return;
    }
    leaving_ += frames;
  }
}

}  // namespace hmsim
