// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/sync_buffer.h"

#include "core/errors.h"

namespace hmsim {

std::int64_t frame_count(const BufferParameters& parameters, Bytes size) {
  return size / (parameters.granularity == BufferGranularity::item ? kLineBytes : kPageBytes);
}

std::uint32_t BufferPart::add(std::int64_t key) {
  if (free_ == kNoIndex) {
    frames_.emplace_back();
    free_ = static_cast<std::uint32_t>(frames_.size() - 1);
  }
  const std::uint32_t frame = free_;
  free_ = frames_[frame].older;
  frames_[frame] = Frame();
  frames_[frame].key = key;
  frames_[frame].state = FrameState::waiting;
  map_.insert(key, frame);
  waiting_.push(frame);
  return frame;
}

std::uint32_t BufferPart::admit() {
  const std::uint32_t frame = waiting_.front();
  waiting_.pop();
  ++held_;
  return frame;
}

void BufferPart::release(std::uint32_t frame) {
  Frame& record = frames_[frame];
  if (record.listed) {
    unlist(frame);
  }
  map_.erase(record.key);
  record.state = FrameState::free;
  record.older = free_;
  free_ = frame;
  --held_;
}

void BufferPart::pin(std::uint32_t frame) {
  if (frames_[frame].listed) {
    unlist(frame);
  }
  ++frames_[frame].pins;
}

void BufferPart::make_newest(std::uint32_t frame) {
  Frame& record = frames_[frame];
  record.listed = true;
  record.newer = kNoIndex;
  record.older = newest_;
  (newest_ == kNoIndex ? oldest_ : frames_[newest_].newer) = frame;
  newest_ = frame;
}

void BufferPart::unlist(std::uint32_t frame) {
  Frame& record = frames_[frame];
  record.listed = false;
  (record.older == kNoIndex ? oldest_ : frames_[record.older].newer) = record.newer;
  (record.newer == kNoIndex ? newest_ : frames_[record.newer].older) = record.older;
}

void BufferPart::serialize(Archive& archive) {
  archive(held_, frames_, free_, newest_, oldest_, waiting_);
  if (!archive.loading()) {
    return;
  }
  if (held_ > capacity_) {
    throw InputError("the checkpoint does not fit this NVDIMM: its buffer was larger");
  }
  map_.clear();
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
    if (frames_[frame].state != FrameState::free) {
      map_.insert(frames_[frame].key, frame);
    }
  }
}

void SyncBuffer::drop_from_read(std::int64_t key, std::uint64_t line) {
  const std::uint32_t frame = read.find(key);
  if (frame == kNoIndex) {
    return;
  }
  Frame& record = read[frame];
  record.valid &= ~line;
  record.expected &= ~line;
  if (record.valid == 0 && record.state == FrameState::clean && record.pins == 0 &&
      !record.fetching) {
    read.release(frame);
  }
}

void SyncBuffer::serialize(Archive& archive) {
  archive.section("buffer");
  read.serialize(archive);
  write.serialize(archive);
}

}  // namespace hmsim
