// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/write_path.h"

#include <utility>

namespace hmsim {

WritePath::WritePath(CommandTable& commands, SyncBuffer& buffer, const Lookahead* lookahead,
                     Evictor& evictor)
    : commands_(commands), buffer_(buffer), lookahead_(lookahead), evictor_(evictor) {}

Found WritePath::look_up(std::uint32_t tag, CommandTable::Command& command, Tick now) {
  const std::int64_t key = buffer_.key_of(command.address);
  const std::uint32_t frame = buffer_.write.find(key);
  if (frame == kNoIndex) {
    commands_.wait(tag, buffer_.write[buffer_.write.add(key)].waiters);
    admit(now);
    return Found::missing;
  }
  Frame& record = buffer_.write[frame];
  switch (record.state) {
    case FrameState::clean:
      record.state = FrameState::dirty;
      --leaving_;
      buffer_.write.pin(frame);
      commands_.ready(tag, command, Pinned::write_part, frame, now);
      admit(now);
      return Found::here;
    case FrameState::dirty:
      buffer_.write.pin(frame);
      commands_.ready(tag, command, Pinned::write_part, frame, now);
      return Found::here;
    case FrameState::evicting:
      leaving_ -= record.waiters.empty() ? 1 : 0;
      commands_.wait(tag, record.waiters);
      admit(now);
      return Found::in_flight;
    default:
      commands_.wait(tag, record.waiters);
      return Found::in_flight;
  }
}

// Ensures that one frame will become free for each waiting page.
void WritePath::admit(Tick now, const GcWait& gc) {
  BufferPart& part = buffer_.write;
  while (part.waiting() > 0 && !part.full()) {
    accept(part.admit(), gc, now);
  }
  while (part.waiting() > leaving_ && evict(now) > 0) {
  }
}

std::size_t WritePath::evict(Tick now) {
  const bool outer = std::exchange(starting_, true);
  const Evictor::Started started = evictor_.start(now);
  starting_ = outer;
  leaving_ += started.frames;
  return started.pages;
}

void WritePath::keep_frames_free(Tick now) {
  if (starting_) {  // by the LUN that the eviction went to
    return;
  }
  starting_ = true;
  while (wants_free_frame()) {
    const Evictor::Started started = evictor_.start_early(now);
    if (started.pages == 0) {
      break;
    }
    leaving_ += started.frames;
  }
  starting_ = false;
}

void WritePath::accept(std::uint32_t frame, const GcWait& gc, Tick now) {
  Frame& record = buffer_.write[frame];
  record.state = FrameState::dirty;
  commands_.wake_all(record.waiters, [&](std::uint32_t tag) {
    CommandTable::Command& command = commands_[tag];
    command.gc_blocked = gc.since(command.since);
    buffer_.write.pin(frame);
    commands_.ready(tag, command, Pinned::write_part, frame, now);
  });
}

void WritePath::on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) {
  Frame& record = buffer_.write[frame];
  record.state = FrameState::clean;
  if (!record.waiters.empty()) {
    accept(frame, gc, now);
  } else if (record.pins == 0) {
    unpinned(frame);
    admit(now, gc);
  }
}

void WritePath::unpin(std::int64_t key) {
  const std::uint32_t frame = buffer_.write.find(key);
  if (--buffer_.write.held(frame).pins == 0) {
    unpinned(frame);
  }
}

void WritePath::unpinned(std::uint32_t frame) {
  BufferPart& part = buffer_.write;
  const Frame& record = part[frame];
  if (record.state == FrameState::dirty && record.valid != 0) {
    part.list(frame, lookahead_ != nullptr && lookahead_->guards(record.key));
  } else if (record.state == FrameState::dirty) {
    part.release(frame);  // all of it was discarded
  } else if (record.state == FrameState::clean) {
    part.release(frame);
    --leaving_;
  }
}

}  // namespace hmsim
