// SPDX-License-Identifier: BSD-3-Clause
// Frames of the read part that are filled from flash, and frames that nobody uses any more.
#include <utility>

#include "nvdimm/nvdimm.h"

namespace hmsim {

void Nvdimm::start_fill(std::uint32_t frame, FlashPriority priority, Tick now) {
  Frame& record = buffer_.read[frame];
  const std::uint32_t written = buffer_.write.find(record.key);
  record.expected = buffer_.all_lines() & ~(written == kNoIndex ? 0 : buffer_.write[written].valid);
  move_read(record, ftl_.read_lun(buffer_.page_of(record.key)));
  record.state = FrameState::filling;
  pending_.add(record.lun, {0, 0, 1, 0});
  if (record.fetching) {
    return;  // the read of an earlier fill, which collection has served, is still queued
  }
  record.fetching = true;
  const MapUser user = priority == FlashPriority::prefetch ? MapUser::prefetch : MapUser::demand;
  if (map_.look_up(buffer_.page_of(record.key), map_cookie(user, frame), now)) {
    fetch(frame, priority, GcWait(), now);
  }
}

void Nvdimm::fetch(std::uint32_t frame, FlashPriority priority, const GcWait& gc, Tick now) {
  FlashCommand command;
  command.requester = this;
  command.priority = priority;
  command.lun = ftl_.read_lun(buffer_.page_of(buffer_.read[frame].key));
  command.subject = frame;
  command.gc = gc;
  flash_.submit(command, now);
}

// In the meantime collection may have served the frame: then its read is withdrawn once it starts.
void Nvdimm::on_mapped(std::uint32_t cookie, const GcWait& gc, Tick now) {
  const std::uint32_t number = cookie / kMapUsers;
  switch (static_cast<MapUser>(cookie % kMapUsers)) {
    case MapUser::eviction:
      evictor_.on_mapped(number, gc, now);
      break;
    case MapUser::prefetch:
      fetch(number, FlashPriority::prefetch, gc, now);
      break;
    case MapUser::demand:
      fetch(number, FlashPriority::demand, gc, now);
      break;
  }
}

// Each waiting command looks again: its line may have been written in the meantime.
void Nvdimm::end_fill(std::uint32_t frame, const GcWait& gc, Tick now) {
  Frame& record = buffer_.read[frame];
  if (data_ != nullptr) {
    data_->fill(ftl_, buffer_, frame, record.expected);
  }
  record.valid |= record.expected;
  record.expected = 0;
  record.state = FrameState::clean;
  pending_.remove(record.lun, {1, std::exchange(record.requests, 0), 1, 0});
  SlotChain waiters = std::exchange(record.waiters, SlotChain());
  while (!waiters.empty()) {
    const std::uint32_t tag = waiters.pop_front(links());
    Command& command = commands_[tag];
    command.gc_blocked += gc.since(std::exchange(command.since, now));
    pending_.resume();
    seek_read(tag, now);
  }
  if (record.state == FrameState::clean && record.pins == 0) {
    settle_read_frame(frame);
    admit_reads(now);
  }
}

// No command uses the frame any more.
void Nvdimm::settle_read_frame(std::uint32_t frame) {
  const Frame& record = buffer_.read[frame];
  if (record.state != FrameState::clean || record.fetching) {
    return;
  }
  if (record.valid == 0) {
    buffer_.read.release(frame);
  } else {
    list(buffer_.read, frame);
  }
}

void Nvdimm::settle_write_frame(std::uint32_t frame) {
  if (buffer_.write[frame].state == FrameState::dirty && buffer_.write[frame].valid != 0) {
    list(buffer_.write, frame);
  } else if (buffer_.write[frame].state == FrameState::dirty) {
    buffer_.write.release(frame);  // all of it was discarded
  } else if (buffer_.write[frame].state == FrameState::clean) {
    buffer_.write.release(frame);
    --leaving_;
  }
}

}  // namespace hmsim
