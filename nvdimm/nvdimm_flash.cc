// SPDX-License-Identifier: BSD-3-Clause
// What flash tells the NVDIMM, and who is to know of it.
#include "nvdimm/nvdimm.h"

namespace hmsim {

bool Nvdimm::on_flash_start(const FlashCommand& command, Tick now) {
  Frame& frame = buffer_.read[command.subject];
  if (frame.state != FrameState::filling) {
    if (command.priority == FlashPriority::prefetch) {
      lookahead_->prefetch_ended();
    }
    withdraw_read(command.subject, now);
    return false;
  }
  // The page may have been written to another LUN while the read waited for this one.
  const std::uint32_t lun = ftl_.read_lun(buffer_.page_of(frame.key));
  if (lun == command.lun) {
    return true;
  }
  FlashCommand moved = command;
  moved.lun = lun;
  flash_.submit(moved, now);
  if (move_read(frame, lun)) {
    collector_.on_host_served(command, now);
  }
  return false;
}

void Nvdimm::add_flash_observer(FlashObserver& observer) {
  flash_.add_observer(observer);
  const auto planes = static_cast<std::uint64_t>(parameters_.nand.planes);
  for (std::uint64_t block = 0; block < std::uint64_t{ftl_.shape().luns} * ftl_.shape().blocks;
       ++block) {
    const auto lun = static_cast<std::uint32_t>(block / ftl_.shape().blocks);
    const auto number = static_cast<std::uint32_t>(block % ftl_.shape().blocks);
    for (std::uint64_t plane = 0; ftl_.bad(lun, number) && plane < planes; ++plane) {
      observer.on_bad(block * planes + plane);
    }
  }
}

PhysicalPage Nvdimm::flash_place(const FlashCommand& command) const {
  return ftl_.read_place(buffer_.page_of(buffer_.read[command.subject].key));
}

PhysicalPage Nvdimm::next_flash_place(const FlashCommand& command) const {
  return buffer_.read[command.subject].state == FrameState::filling ? flash_place(command)
                                                                    : kNowhere;
}

void Nvdimm::on_flash_done(const FlashCommand& command, Tick now) {
  if (command.priority == FlashPriority::prefetch) {
    lookahead_->prefetch_ended();
  }
  buffer_.read[command.subject].fetching = false;
  end_fill(command.subject, command.gc, now);
}

void Nvdimm::on_flash_served(const FlashCommand& command, Tick now) {
  if (command.priority != FlashPriority::collection) {
    if (command.requester != this) {
      continue_flush(now);
    }
    collector_.on_host_served(command, now);
  }
  map_.write_back(now);
}

void Nvdimm::on_flash_idle(std::uint32_t lun, Tick now) {
  if (lookahead_ != nullptr) {
    lookahead_->idle(lun);
    prefetch(now);
  }
  if (flash_.idle(lun)) {
    evictor_.on_flash_idle(lun, now);
    keep_frames_free(now);
  }
  if (flash_.idle(lun)) {
    collector_.on_flash_idle(lun, now);
  }
}

void Nvdimm::on_flash_room(std::uint32_t lun, Tick now) { evictor_.on_flash_idle(lun, now); }

}  // namespace hmsim
