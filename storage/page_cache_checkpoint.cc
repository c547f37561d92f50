// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints and statistics of a page cache.
#include "storage/page_cache.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "the pages of a page cache do not hold together";

bool holds_data(const Frame& frame) {
  return frame.state == FrameState::clean || frame.state == FrameState::dirty;
}

}  // namespace

void PageCache::serialize(Archive& archive) {
  archive.section("page cache");
  intake_.serialize(archive);
  archive(first_, second_, accesses_, ios_, moves_, left_, dirty_links_, dirty_, leaving_, flushed_,
          flushing_, events_, counts_);
  if (archive.loading()) {
    check_loaded(archive);
  }
  device_->serialize(archive);
  mover_->serialize(archive);
  if (archive.loading()) {
    archive.check(ios_.taken() == device_->under_way(), kWrong);
    archive.check(moves_.taken() == mover_->under_way(), kWrong);
  }
}

// What the device was asked and what moves: each is one frame's, whose state says so. Counts the
// pins that follow from it.
void PageCache::check_under_way(const Archive& archive, Pins& second_pins) const {
  Places first(archive, first_.records(), kWrong);
  Places second(archive, second_.records(), kWrong);
  Places dirty(archive, first_.records(), kWrong);
  archive.check(dirty_links_.size() == first_.records(), kWrong);
  dirty_.take_all(dirty_links_, dirty);
  std::uint32_t flushes = 0;
  bool ends = false;
  const std::vector<bool> asked = ios_.in_use();
  for (std::uint32_t tag = 0; tag < ios_.size(); ++tag) {
    const Io& io = ios_[tag];
    archive.check(asked[tag] == (io.purpose != Io::For::none), kWrong);
    if (!asked[tag]) {
      continue;
    }
    if (io.purpose == Io::For::end) {
      archive.check(!ends && flushing_ != kNoIndex, kWrong);
      ends = true;
      continue;
    }
    archive.check_index(io.frame, first_.records(), kWrong);
    const FrameState state = first_[io.frame].state;
    if (io.purpose == Io::For::flush) {
      archive.check(state == FrameState::dirty, kWrong);
      dirty.take(io.frame);
      ++flushes;
      continue;
    }
    archive.check(
        state == (io.purpose == Io::For::fill ? FrameState::filling : FrameState::evicting),
        kWrong);
    first.take(io.frame);
  }
  archive.check(flushes == flushed_ && (flushing_ == kNoIndex) == (!ends && flushes == 0) &&
                    !(ends && flushes > 0),
                kWrong);
  const std::vector<bool> moves = moves_.in_use();
  for (std::uint32_t tag = 0; tag < moves_.size(); ++tag) {
    const Move& move = moves_[tag];
    archive.check(moves[tag] == (move.purpose != Move::For::none), kWrong);
    if (!moves[tag]) {
      continue;
    }
    archive.check_index(move.first, first_.records(), kWrong);
    archive.check_index(move.second, second_.records(), kWrong);
    const Frame& from = first_[move.first];
    const Frame& to = second_[move.second];
    const bool promotes = move.purpose == Move::For::promotion;
    archive.check(
        from.key == to.key && to.state == (promotes ? FrameState::clean : FrameState::filling),
        kWrong);
    second.take(move.second);
    archive.check(from.state == (promotes ? FrameState::filling : FrameState::evicting), kWrong);
    first.take(move.first);
    second_pins[move.second] += promotes ? 1 : 0;
  }
  for (std::uint32_t frame = 0; frame < first_.records(); ++frame) {
    const FrameState state = first_[frame].state;
    archive.check(
        first.has(frame) == (state == FrameState::filling || state == FrameState::evicting),
        kWrong);
    archive.check(dirty.has(frame) == (state == FrameState::dirty), kWrong);
    const std::uint32_t copy =
        state == FrameState::waiting ? second_.find(first_[frame].key) : kNoIndex;
    if (copy != kNoIndex) {
      archive.check(second_[copy].state == FrameState::clean, kWrong);
      ++second_pins[copy];
    }
  }
  for (std::uint32_t frame = 0; frame < second_.records(); ++frame) {
    const FrameState state = second_[frame].state;
    archive.check(state == FrameState::free || state == FrameState::clean ||
                      (state == FrameState::filling && second.has(frame)),
                  kWrong);
  }
}

// Accesses wait for a frame that comes or goes, or are served from one that has the page.
void PageCache::check_accesses(const Archive& archive, Pins& first_pins) const {
  Places accesses(archive, accesses_.size(), kWrong);
  accesses_.take_free(accesses);
  const auto links = links_of(accesses_.data(), &Access::next);
  for (std::uint32_t frame = 0; frame < first_.records(); ++frame) {
    const Frame& record = first_[frame];
    const bool comes = record.state == FrameState::waiting || record.state == FrameState::filling;
    archive.check(!comes || !record.waiters.empty(), kWrong);
    archive.check(comes || record.state == FrameState::evicting || record.waiters.empty(), kWrong);
    record.waiters.take_all(links, accesses, [&](std::uint32_t access) {
      archive.check(accesses_[access].page == record.key, kWrong);
    });
  }
  events_.each([&](const auto& event) {
    archive.check(event.time >= Tick(0) && event.time < kNever, kWrong);
    accesses.take(event.payload);
    const Access& access = accesses_[event.payload];
    archive.check_index(access.frame, first_.records(), kWrong);
    archive.check(holds_data(first_[access.frame]) && first_[access.frame].key == access.page,
                  kWrong);
    ++first_pins[access.frame];
  });
  archive.check(accesses.all(), kWrong);
  Places places = intake_.started(archive);
  std::vector<std::uint32_t> left(left_.size());
  const std::vector<bool> used = accesses_.in_use();
  for (std::uint32_t access = 0; access < accesses_.size(); ++access) {
    if (!used[access]) {
      continue;
    }
    const std::uint32_t place = accesses_[access].place;
    archive.check(place < left.size() && place < intake_.size() &&
                      intake_[place].kind != IoRequest::Kind::flush,
                  kWrong);
    if (left[place]++ == 0) {
      places.take(place);
    }
  }
  if (flushing_ != kNoIndex) {
    places.take(flushing_);
    archive.check(intake_[flushing_].kind == IoRequest::Kind::flush && accesses_.used() == 0,
                  kWrong);
  }
  archive.check(places.all() && left == left_, kWrong);
}

void PageCache::check_loaded(const Archive& archive) const {
  Pins first_pins(first_.records());
  Pins second_pins(second_.records());
  check_under_way(archive, second_pins);
  check_accesses(archive, first_pins);
  const std::int64_t pages = intake_.capacity() / kPageBytes;
  for (const auto& [part, pins] : {std::pair(&first_, &first_pins), {&second_, &second_pins}}) {
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      const Frame& record = (*part)[frame];
      archive.check(record.key >= 0 && record.key < pages && record.pins == (*pins)[frame], kWrong);
      archive.check(part == &first_ || record.waiters.empty(), kWrong);
      const bool listed = holds_data(record) && record.pins == 0;
      archive.check(record.listing == (listed ? FrameListing::replaceable : FrameListing::none),
                    kWrong);
    }
  }
}

void PageCache::register_statistics(StatisticRegistry& registry, const std::string& path) {
  device_->register_statistics(registry, path);
  const std::string name = path + ".cache.";
  const auto counter = [&](const char* part, const char* description, Counter& count) {
    registry.counter(name + part, "pages", description, {&count});
  };
  counter("lookups", "pages that requests read or wrote", counts_.lookups);
  counter("first_hits", "of these, those that the first level had", counts_.first_hits);
  counter("second_hits", "of these, those that the second level had", counts_.second_hits);
  counter("merged", "of these, those on their way to the first level", counts_.merged);
  counter("fresh", "of these, those written as a whole that the first level had not",
          counts_.fresh);
  counter("device_reads", "of these, those read from the device", counts_.device_reads);
  counter("device_writes", "dirty pages written to the device", counts_.device_writes);
  counter("demotions", "pages that the first level gave up and the second took", counts_.demotions);
  const auto value = [](const Counter& count) {
    return [&count] { return static_cast<double>(count); };
  };
  registry.ratio(name + "first_hit_ratio", "hits of the first level for each page asked for",
                 value(counts_.first_hits), value(counts_.lookups));
  registry.ratio(
      name + "second_hit_ratio", "hits of the second level for each page that it was asked for",
      value(counts_.second_hits),
      [this] { return static_cast<double>(counts_.second_hits + counts_.device_reads); });
  registry.gauge(name + "second.busy", "", "share of time in which pages move between the levels",
                 [this] { return mover_->busy(); });
  registry.on_reset([this](Tick now) { mover_->reset(now); });
  intake_.register_statistics(registry, path + ".cache");
}

}  // namespace hmsim
