// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/eviction_choice.h"

namespace hmsim {

EvictionChoice::EvictionChoice(const SyncBuffer& buffer, Ftl& ftl, const FlashArray& flash,
                               bool joins_planes)
    : buffer_(buffer),
      ftl_(ftl),
      claims_(ftl.claims()),
      flash_(flash),
      merges_(ftl.shape().merge),
      joins_planes_(joins_planes),
      channels_(static_cast<std::uint32_t>(flash.channels())),
      luns_per_channel_(ftl.shape().luns / channels_) {}

// Returns whether the frame's page or, with merging, one in the same flash page is being evicted.
bool EvictionChoice::is_under_way(std::uint32_t frame) const {
  const LogicalPage page = page_of(frame);
  if (!merges_) {
    return under_way_.find(page.value()) != kNoIndex;
  }
  const std::int64_t pages = ftl_.shape().parts();
  const std::int64_t first = page.value() / pages * pages;
  for (std::int64_t i = first; i < first + pages; ++i) {
    if (under_way_.find(i) != kNoIndex) {
      return true;
    }
  }
  return false;
}

std::uint32_t EvictionChoice::next() const {
  std::uint32_t frame = buffer_.write.victim();
  while (frame != kNoIndex && is_under_way(frame)) {
    frame = buffer_.write.after(frame);
  }
  return frame;
}

std::uint32_t EvictionChoice::next_with(const Company& company) const {
  const bool dynamic = ftl_.shape().dynamic;
  std::uint32_t frame = next();
  if (dynamic && !ftl_.placement().active()) {
    return frame;
  }
  for (int i = 0; i < kCompanyWindow && frame != kNoIndex; ++i) {
    if (!is_under_way(frame) && (dynamic || ftl_.shape().home(page_of(frame)) == company.home) &&
        stream_of(page_of(frame), frame) == company.stream) {
      return frame;
    }
    frame = buffer_.write.after(frame);
  }
  return kNoIndex;
}

// Returns whether a LUN with room is free. If none was free, room or not, on_lun_free() must come
// before the next look.
bool EvictionChoice::any_lun_free() {
  bool free = false;
  const bool found = !full_ && claims_.any_idle([&](std::uint32_t lun) {
    const bool takes = is_free(lun);
    free = free || takes;
    return takes;
  });
  full_ = !free;
  return found;
}

// Examines the first few replaceable frames. Prefers complete pages, then (static allocation) the
// flash channel whose turn it is. With dynamic allocation the page goes to any free LUN.
std::uint32_t EvictionChoice::early(const Company* company) {
  const bool dynamic = ftl_.shape().dynamic;
  if (dynamic && !any_lun_free()) {
    return kNoIndex;
  }
  std::uint32_t best = kNoIndex;
  std::uint32_t best_rank = kNoIndex;
  std::uint32_t frame = buffer_.write.replaceable() > 0 ? buffer_.write.victim() : kNoIndex;
  for (int i = 0; i < kEarlyWindow && frame != kNoIndex; ++i, frame = buffer_.write.after(frame)) {
    const Frame& record = buffer_.write[frame];
    const LogicalPage page = buffer_.page_of(record.key);
    const std::uint32_t home = ftl_.shape().home(page);
    if (record.listing == FrameListing::guarded || is_under_way(frame) ||
        (!dynamic && (!is_free(home) || (company != nullptr && home != company->home))) ||
        (company != nullptr && stream_of(page, frame) != company->stream)) {
      continue;
    }
    const bool full = record.valid == buffer_.all_lines();
    const std::uint32_t turn =
        dynamic ? 0 : (channel_of(home) + channels_ - next_channel_) % channels_;
    const std::uint32_t rank = (full ? 0 : channels_) + turn;
    if (rank < best_rank) {
      best = frame;
      best_rank = rank;
    }
  }
  return best;
}

void EvictionChoice::pass_turn(std::uint32_t frame) {
  next_channel_ = (channel_of(ftl_.shape().home(page_of(frame))) + 1) % channels_;
}

void EvictionChoice::serialize(Archive& archive) {
  archive(next_channel_);
  archive.check_index(next_channel_, channels_, "invalid next flash channel");
  full_ = full_ && !archive.loading();
}

}  // namespace hmsim
