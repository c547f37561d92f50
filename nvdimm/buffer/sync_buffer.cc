// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/sync_buffer.h"

#include <utility>

#include "core/places.h"

namespace hmsim {

std::int64_t frame_count(const BufferParameters& parameters, Bytes size) {
  return size / (parameters.granularity == BufferGranularity::item ? kLineBytes : kPageBytes);
}

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
  archive(held_, frames_, replaceable_, guarded_, waiting_);
  if (archive.loading()) {
    check_loaded(archive);
    map_.clear();
    recent_key_ = kNoKey;
    for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
      if (frames_[frame].state != FrameState::free) {
        archive.check(map_.find(frames_[frame].key) == kNoIndex, "two frames hold the same page");
        map_.insert(frames_[frame].key, frame);
      }
    }
  }
  if (replacement_ != nullptr) {
    replacement_->grow(records());
    replacement_->serialize(archive);
  }
  if (archive.loading()) {
    check_lists(archive);
  }
}

// Records are free, wait for a frame, or have one.
void BufferPart::check_loaded(const Archive& archive) const {
  constexpr const char* kWrong = "frames of the buffer do not hold together";
  Places records(archive, frames_.size(), kWrong);
  frames_.take_free(records);
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
    archive.check(records.has(frame) == (frames_[frame].state == FrameState::free), kWrong);
  }
  waiting_.each([&](std::uint32_t frame) { records.take(frame); });
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
    const FrameState state = frames_[frame].state;
    archive.check(records.has(frame) == (state == FrameState::free || state == FrameState::waiting),
                  kWrong);
  }
  archive.check(
      held_ <= capacity_ && static_cast<std::size_t>(held_) == frames_.size() - records.count(),
      kWrong);
}

// A frame is in the list that it should be in; so the replacement policy has it.
void BufferPart::check_lists(const Archive& archive) const {
  constexpr const char* kWrong = "lists of the buffer's frames do not hold together";
  Places listed(archive, frames_.size(), kWrong);
  const auto follow = [&](const Listing& list, FrameListing listing) {
    const std::size_t before = listed.count();
    const auto links = links_of(frames_.data(), &Frame::link);
    list.frames.take_all(links, listed, [&](std::uint32_t frame) {
      archive.check(frames_[frame].listing == listing, kWrong);
    });
    archive.check(list.count == listed.count() - before, kWrong);
  };
  follow(replaceable_, FrameListing::replaceable);
  follow(guarded_, FrameListing::guarded);
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
    archive.check((frames_[frame].listing != FrameListing::none) == listed.has(frame), kWrong);
  }
  if (replacement_ == nullptr) {
    return;
  }
  Places known(archive, frames_.size(), kWrong);
  const std::uint32_t first = replaceable_.frames.empty() ? kNoIndex : replacement_->victim();
  known.chain(first, [&](std::uint32_t frame) {
    archive.check(frames_[frame].listing == FrameListing::replaceable, kWrong);
    return replacement_->after(frame);
  });
  archive.check(known.count() == replaceable_.count, kWrong);
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
  read.serialize(archive);
  write.serialize(archive);
}

}  // namespace hmsim
