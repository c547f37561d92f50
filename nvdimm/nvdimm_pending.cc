// SPDX-License-Identifier: BSD-3-Clause
// Reads that wait for flash: where they count as pending, and what garbage collection does for
// them.
#include "nvdimm/nvdimm.h"

namespace hmsim {

void Nvdimm::wait_for_read(std::uint32_t tag, Frame& frame) {
  wait(tag, frame);
  ++frame.requests;
  pending_.add(frame.lun, {0, 1, 0, 0});
}

// The frame will be read from the LUN ...
void Nvdimm::owe_read(Frame& frame, std::uint32_t lun) {
  frame.lun = lun;
  pending_.add(lun, {1, 0, 0, 0});
}

// ... or rather from another one. False: it is the same.
bool Nvdimm::move_read(Frame& frame, std::uint32_t lun) {
  if (lun == frame.lun) {
    return false;
  }
  const PendingFlash work{1, frame.requests, frame.state == FrameState::filling ? 1u : 0u, 0};
  pending_.remove(frame.lun, work);
  pending_.add(lun, work);
  frame.lun = lun;
  return true;
}

// What the read was for has come by another way.
void Nvdimm::withdraw_read(std::uint32_t frame, Tick now) {
  buffer_.read[frame].fetching = false;
  if (buffer_.read[frame].pins == 0) {
    settle_read_frame(frame);
    admit_reads(now);
  }
}

// Collection holds the page in the controller: it takes the place of the reads that wait for it.
void Nvdimm::on_page_copied(LogicalPage page, std::uint32_t lun, Tick now) {
  const std::int64_t keys = buffer_.items() ? kLinesPerPage : 1;
  bool served = false;
  for (std::int64_t key = page.value() * keys; key < (page.value() + 1) * keys; ++key) {
    const std::uint32_t frame = buffer_.read.find(key);
    if (frame != kNoIndex && buffer_.read[frame].state == FrameState::filling) {
      served = true;
      end_fill(frame, flash_.lock_of(lun, now), now);
    }
  }
  if (served) {
    ++statistics_.gc_cached;
    collector_.reconsider(lun, now);
  }
}

}  // namespace hmsim
