// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints and statistics of a page cache.
#include "storage/page_cache.h"

namespace hmsim {

// Checks that an access is free, waits for one frame or is served, and that exactly the dirty
// frames are in the dirty list. The lists therefore contain no cycle.
void PageCache::serialize(Archive& archive) {
  archive.section("page cache");
  io_queue_.serialize(archive);
  ahead_.serialize(archive);
  archive(first_, second_, accesses_, ios_, moves_, leaving_, flushed_, flushing_, events_,
          counts_);
  SlotClaims accesses_held(archive, accesses_.size(), "access in two places");
  SlotClaims dirty(archive, first_.records(), "dirty page listed twice");
  if (archive.loading()) {
    accesses_.claim_free(accesses_held);
    dirty_links_.assign(first_.records(), SlotLink());
  }
  serialize_waiters(archive, first_, accesses(), accesses_.size(), accesses_held);
  serialize_slots(archive, dirty_, dirty_links_.data(), first_.records(),
                  [&dirty](std::uint32_t frame) { dirty.claim(frame); });
  if (archive.loading()) {
    check_indices(archive);
    for (std::uint32_t frame = 0; frame < first_.records(); ++frame) {
      dirty.check(dirty.has(frame) == (first_[frame].state == FrameState::dirty));
    }
    events_.each([&](const auto& event) {
      accesses_held.claim(event.payload);
      archive.check_index(accesses_[event.payload].frame, first_.records(),
                          "access without a frame");
    });
    count_accesses(archive);
  }
  device_->serialize(archive);
  mover_->serialize(archive);
}

void PageCache::check_indices(const Archive& archive) const {
  const std::int64_t pages = io_queue_.capacity() / kPageBytes;
  check_frames(archive, first_, pages);
  check_frames(archive, second_, pages);
  archive.check(second_.waiting() == 0, "page in wait for the second level");
  for (const std::uint32_t tag : ios_.taken()) {
    const Io& io = ios_[tag];
    archive.check(io.purpose == Io::For::end || io.frame < first_.records(), "I/O without a frame");
  }
  for (const std::uint32_t tag : moves_.taken()) {
    archive.check_index(moves_[tag].first, first_.records(), "move of a page without a frame");
    archive.check_index(moves_[tag].second, second_.records(), "move of a page without a frame");
  }
  archive.check_index(flushing_, io_queue_.size(), kNoIndex, "flush without a request");
}

void PageCache::count_accesses(const Archive& archive) {
  const std::int64_t pages = io_queue_.capacity() / kPageBytes;
  left_.assign(io_queue_.size(), 0);
  for (const std::uint32_t access : accesses_.taken()) {
    const Access& record = accesses_[access];
    archive.check_index(record.place, left_.size(), "access without a request");
    archive.check_index(record.page, static_cast<std::size_t>(pages), "invalid page");
    ++left_[record.place];
  }
}

void PageCache::account(Tick now) {
  io_queue_.account(now);
  mover_->account(now);
  device_->account(now);
}

void PageCache::register_statistics(StatisticRegistry& registry, const std::string& path) {
  device_->register_statistics(registry, path);
  const std::string name = path + ".cache.";
  const auto counter = [&](const char* part, const char* description, Counter& count) {
    registry.counter(name + part, "pages", description, {&count});
  };
  counter("lookups", "pages that requests read or wrote", counts_.lookups);
  counter("first_hits", "accessed pages that were in the first level", counts_.first_hits);
  counter("second_hits", "accessed pages that were in the second level", counts_.second_hits);
  counter("merged", "accessed pages that were in flight to the first level", counts_.merged);
  counter("fresh", "accessed pages written as a whole that were not in the first level",
          counts_.fresh);
  counter("device_reads", "accessed pages read from the device", counts_.device_reads);
  counter("device_writes", "dirty pages written to the device", counts_.device_writes);
  counter("demotions", "pages that the first level evicted to the second", counts_.demotions);
  counter("ahead_reads", "pages read ahead from the device", counts_.ahead_reads);
  counter("ahead_moves", "pages moved ahead from the second level", counts_.ahead_moves);
  counter("ahead_used", "pages read or moved ahead that a request accessed", counts_.ahead_used);
  counter("ahead_unused", "pages read or moved ahead and evicted without an access",
          counts_.ahead_unused);
  const auto value = [](const Counter& count) {
    return [&count] { return static_cast<double>(count); };
  };
  registry.ratio(name + "first_hit_ratio", "hits of the first level per accessed page",
                 value(counts_.first_hits), value(counts_.lookups));
  registry.ratio(name + "second_hit_ratio", "hits of the second level per page looked up in it",
                 value(counts_.second_hits), [this] {
                   return static_cast<double>(counts_.second_hits + counts_.device_reads);
                 });
  registry.gauge(name + "second.busy", "", "share of time in which pages move between the levels",
                 [this] { return mover_->busy(); });
  registry.on_reset([this](Tick now) { mover_->reset(now); });
  io_queue_.register_statistics(registry, path + ".cache");
}

}  // namespace hmsim
