// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/sync_buffer.h"

#include <utility>

#include "core/slot_claims.h"

namespace hmsim {

BufferPart::BufferPart(std::int64_t capacity, std::unique_ptr<BufferReplacement> replacement,
                       Counter& unused_prefetches)
    : capacity_(capacity),
      replacement_(std::move(replacement)),
      unused_prefetches_(&unused_prefetches) {
  if (replacement_->by_recency()) {
    replacement_ = nullptr;
  } else {
    replacement_->connect(static_cast<std::uint64_t>(capacity));
  }
}

std::uint32_t BufferPart::add(std::int64_t key) {
  const std::uint32_t known = records();
  const std::uint32_t frame = frames_.take();
  if (replacement_ != nullptr && records() > known) {
    replacement_->grow(records());
  }
  frames_[frame].key = key;
  frames_[frame].state = FrameState::waiting;
  map_.insert(key, frame);
  recent_key_ = kNoKey;
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
  if (replacement_ != nullptr) {
    replacement_->released(frame);
  }
  *unused_prefetches_ += record.prefetched ? 1 : 0;
  map_.erase(record.key);
  recent_key_ = kNoKey;
  record.state = FrameState::free;
  frames_.give_back(frame);
  --held_;
}

std::uint32_t BufferPart::victim() const {
  if (replaceable_.frames.empty()) {
    return guarded_.frames.first;
  }
  return replacement_ == nullptr ? replaceable_.frames.first : replacement_->victim();
}

std::uint32_t BufferPart::after(std::uint32_t frame) const {
  const Frame& record = frames_[frame];
  if (record.listing == FrameListing::guarded) {
    return record.link.next;
  }
  const std::uint32_t next =
      replacement_ == nullptr ? record.link.next : replacement_->after(frame);
  return next != kNoIndex ? next : guarded_.frames.first;
}

void BufferPart::serialize(Archive& archive) {
  archive(frames_, waiting_);
  serialize_list(archive, FrameListing::replaceable);
  serialize_list(archive, FrameListing::guarded);
  if (archive.loading()) {
    SlotClaims waiting(archive, records(), "frame that waits twice, or does not wait");
    waiting_.each([&](std::uint32_t frame) {
      waiting.claim(frame);
      waiting.check(frames_.holds(frame) && frames_[frame].state == FrameState::waiting);
    });
    held_ = static_cast<std::int64_t>(frames_.used()) - static_cast<std::int64_t>(waiting_.size());
    map_.clear();
    recent_key_ = kNoKey;
    for (const std::uint32_t frame : frames_.taken()) {
      // Replacement policies also identify frames by key.
      archive.check(map_.find(frames_[frame].key) == kNoIndex, "two frames with the same page");
      map_.insert(frames_[frame].key, frame);
    }
  }
  if (replacement_ != nullptr) {
    replacement_->grow(records());
    replacement_->serialize(archive);
    if (archive.loading()) {
      check_replacement(archive);
    }
  }
}

void BufferPart::serialize_list(Archive& archive, FrameListing listing) {
  Listing& list = listing == FrameListing::guarded ? guarded_ : replaceable_;
  list.count = archive.loading() ? 0 : list.count;
  serialize_slots(archive, list.frames, links_of(frames_.data(), &Frame::link), records(),
                  [&](std::uint32_t number) {
                    Frame& frame = frames_[number];
                    archive.check(
                        frames_.holds(number) && frame.listing == FrameListing::none &&
                            (frame.state == FrameState::clean || frame.state == FrameState::dirty),
                        "frame listed twice, or listed as free while in use");
                    frame.listing = listing;
                    ++list.count;
                  });
}

// Checks that the policy lists each replaceable frame once, so that a victim search terminates.
void BufferPart::check_replacement(const Archive& archive) const {
  SlotClaims named(archive, frames_.size(),
                   "frames of the replacement policy differ from the buffer's");
  const std::uint32_t first = replaceable_.frames.empty() ? kNoIndex : replacement_->victim();
  named.chain(first, [&](std::uint32_t frame) {
    named.check(frames_[frame].listing == FrameListing::replaceable);
    return replacement_->after(frame);
  });
  named.check(named.count() == replaceable_.count);
}

namespace {

std::unique_ptr<BufferReplacement> replacement(const BufferParameters& parameters,
                                               const Assignments& assignments) {
  return create_policy<BufferReplacement>(PolicyKind::buffer_replacement, parameters.replacement,
                                          assignments);
}

}  // namespace

SyncBuffer::SyncBuffer(const BufferParameters& parameters, const Assignments& assignments)
    : read(parameters.frames(parameters.read_size), replacement(parameters, assignments),
           statistics_.prefetch_unused),
      write(parameters.frames(parameters.write_size), replacement(parameters, assignments),
            statistics_.prefetch_unused),
      items_(parameters.granularity == BufferGranularity::item) {}

void SyncBuffer::drop_from_read(std::int64_t key, std::uint64_t lines) {
  const std::uint32_t frame = read.find(key);
  if (frame == kNoIndex) {
    return;
  }
  Frame& record = read[frame];
  record.valid &= ~lines;
  record.expected &= ~lines;
  if (record.valid == 0 && record.state == FrameState::clean && record.pins == 0 &&
      !record.fetching) {
    read.release(frame);
  }
}

void SyncBuffer::discard(LogicalPage page) {
  const std::int64_t keys = items_ ? kLinesPerPage : 1;
  for (std::int64_t key = page.value() * keys; key < (page.value() + 1) * keys; ++key) {
    for (BufferPart* part : {&read, &write}) {
      const std::uint32_t frame = part->find(key);
      if (frame != kNoIndex) {
        (*part)[frame].valid = 0;
        if ((*part)[frame].listing != FrameListing::none) {
          part->release(frame);
        }
      }
    }
  }
}

void SyncBuffer::serialize(Archive& archive) {
  archive.section("buffer");
  archive(read, write);
}

}  // namespace hmsim
