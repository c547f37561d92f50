// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/sync_buffer.h"

#include <utility>

#include "core/errors.h"

namespace hmsim {

std::int64_t frame_count(const BufferParameters& parameters, Bytes size) {
  return size / (parameters.granularity == BufferGranularity::item ? kLineBytes : kPageBytes);
}

BufferPart::BufferPart(std::int64_t capacity, std::unique_ptr<BufferReplacement> replacement,
                       Counter& unused_prefetches)
    : capacity_(capacity),
      replacement_(std::move(replacement)),
      unused_prefetches_(&unused_prefetches) {
  replacement_->connect(static_cast<std::uint64_t>(capacity));
}

std::uint32_t BufferPart::add(std::int64_t key) {
  if (free_ == kNoIndex) {
    frames_.emplace_back();
    guarded_links_.emplace_back();
    replacement_->grow(records());
    free_ = records() - 1;
  }
  const std::uint32_t frame = free_;
  free_ = frames_[frame].next;
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
  if (record.listing != FrameListing::none) {
    unlist(frame);
  }
  replacement_->released(frame);
  *unused_prefetches_ += record.prefetched ? 1 : 0;
  map_.erase(record.key);
  record.state = FrameState::free;
  record.next = free_;
  free_ = frame;
  --held_;
}

void BufferPart::list(std::uint32_t frame, bool guard) {
  Frame& record = frames_[frame];
  if (guard) {
    record.listing = FrameListing::guarded;
    guarded_.push_back(guarded_links_, frame);
  } else {
    record.listing = FrameListing::replaceable;
    ++replaceable_;
    replacement_->listed(frame, record.key);
  }
}

void BufferPart::unlist(std::uint32_t frame) {
  if (frames_[frame].listing == FrameListing::guarded) {
    guarded_.remove(guarded_links_, frame);
  } else {
    --replaceable_;
    replacement_->unlisted(frame);
  }
  frames_[frame].listing = FrameListing::none;
}

std::uint32_t BufferPart::victim() const {
  return replaceable_ > 0 ? replacement_->victim() : guarded_.first;
}

std::uint32_t BufferPart::after(std::uint32_t frame) const {
  if (frames_[frame].listing == FrameListing::guarded) {
    return guarded_links_[frame].next;
  }
  const std::uint32_t next = replacement_->after(frame);
  return next != kNoIndex ? next : guarded_.first;
}

void BufferPart::serialize(Archive& archive) {
  archive(held_, frames_, free_, replaceable_, guarded_, guarded_links_, waiting_);
  if (archive.loading()) {
    if (held_ > capacity_) {
      throw InputError("the checkpoint does not fit this NVDIMM: its buffer was larger");
    }
    map_.clear();
    for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
      if (frames_[frame].state != FrameState::free) {
        map_.insert(frames_[frame].key, frame);
      }
    }
    replacement_->grow(records());
  }
  replacement_->serialize(archive);
}

namespace {

std::unique_ptr<BufferReplacement> replacement(const BufferParameters& parameters,
                                               const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::buffer_replacement, parameters.replacement, assignments);
  return std::unique_ptr<BufferReplacement>(static_cast<BufferReplacement*>(policy.release()));
}

}  // namespace

SyncBuffer::SyncBuffer(const BufferParameters& parameters, const Assignments& assignments,
                       Counter& unused_prefetches)
    : read(frame_count(parameters, parameters.read_size), replacement(parameters, assignments),
           unused_prefetches),
      write(frame_count(parameters, parameters.write_size), replacement(parameters, assignments),
            unused_prefetches),
      items_(parameters.granularity == BufferGranularity::item) {}

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
