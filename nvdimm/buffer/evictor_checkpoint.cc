// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of evictions.
#include "core/slot_claims.h"
#include "nvdimm/buffer/evictor.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "inconsistent list of evictions";

}  // namespace

void Evictor::serialize(Archive& archive) {
  archive.section("evictions");
  archive(evictions_, unplaced_, choice_);
  archive.fixed(open_);
  serialize_batches(archive);
  serialize_frames(archive);
  if (archive.loading()) {
    check_bounds(archive);
    choice_.forget_evictions();
    for (const std::uint32_t i : evictions_.taken()) {
      choice_.begin(evictions_[i].page, i);
    }
  }
}

// Serializes the evictions of each batch, in order.
void Evictor::serialize_batches(Archive& archive) {
  std::vector<std::vector<std::uint32_t>> batches;
  for (const std::uint32_t i : evictions_.taken()) {
    if (!archive.loading() && evictions_[i].batch == i) {
      batches.emplace_back();
      for_batch(i, [&batches](std::uint32_t own) { batches.back().push_back(own); });
    }
  }
  std::uint64_t count = batches.size();
  archive(count);
  archive.check(count <= evictions_.size(), kWrong);
  batches.resize(static_cast<std::size_t>(count));
  SlotClaims evictions(archive, evictions_.size(), kWrong);
  evictions_.claim_free(evictions);
  for (std::vector<std::uint32_t>& batch : batches) {
    archive(batch);
    archive.check(batch.size() <= most_, kWrong);
    for (std::size_t i = 0; i < batch.size() && archive.loading(); ++i) {
      evictions.claim(batch[i]);
      evictions_[batch[i]].batch = batch.front();
      evictions_[batch[i]].next = i + 1 < batch.size() ? batch[i + 1] : kNoIndex;
      evictions_[batch.front()].count = static_cast<std::uint32_t>(batch.size());
    }
  }
  archive.check(evictions.all(), kWrong);
}

// Serializes the frames of each eviction, in order. None is in a list, which would use the same
// link.
void Evictor::serialize_frames(Archive& archive) {
  SlotClaims places(archive, buffer_.write.records(), "inconsistent list of evicted frames");
  for (const std::uint32_t i : evictions_.taken()) {
    std::vector<std::uint32_t> frames;
    std::uint32_t* link = &evictions_[i].frames;
    for (std::uint32_t frame = *link; frame != kNoIndex; frame = buffer_.write[frame].link.next) {
      frames.push_back(frame);
    }
    archive(frames);
    for (std::size_t k = 0; k < frames.size() && archive.loading(); ++k) {
      places.claim(frames[k]);
      places.check(buffer_.write[frames[k]].state == FrameState::evicting);
      *link = frames[k];
      link = &buffer_.write[frames[k]].link.next;
    }
  }
}

void Evictor::check_bounds(const Archive& archive) const {
  archive.check_indices(open_, evictions_.size(), kNoIndex, kWrong);
  unplaced_.each([&](std::uint32_t batch) { archive.check(evictions_.holds(batch), kWrong); });
  for (const std::uint32_t i : evictions_.taken()) {
    archive.check_index(evictions_[i].page.value(), ftl_.shape().logical_pages, kWrong);
    ftl_.shape().check_flash_page(archive, evictions_[i].target);
    std::uint32_t length = 0;
    for (std::uint32_t other = i; other != kNoIndex; other = evictions_[other].fetched) {
      archive.check(evictions_.holds(other) && ++length <= most_, kWrong);
    }
  }
}

}  // namespace hmsim
