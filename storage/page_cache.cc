// SPDX-License-Identifier: BSD-3-Clause
#include "storage/page_cache.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {}  // namespace

PageCache::PageCache(const PageCacheParameters& parameters, std::unique_ptr<StorageDevice> device,
                     std::unique_ptr<PageCopier> mover, const Assignments& assignments)
    : QueuedDevice(device->capacity()),
      parameters_(parameters),
      device_(std::move(device)),
      mover_(std::move(mover)),
      ahead_(parameters.read_ahead),
      first_(parameters.first_frames(), create_replacement(parameters.replacement, assignments),
             counts_.ahead_unused),
      second_(parameters.second_frames(), create_replacement("lru", assignments), no_prefetches_) {
  device_->listen(*this);
  mover_->listen(*this);
}

// --- Requests

void PageCache::submit(const IoRequest& request, Tick now) {
  IoRequest taken = request;
  taken.barrier = taken.barrier || taken.kind == IoRequest::Kind::flush;
  QueuedDevice::submit(taken, now);
}

void PageCache::begin(std::uint32_t place, Tick now) {
  if (io_queue_[place].kind == IoRequest::Kind::flush) {
    flush(place, now);
  } else if (io_queue_[place].kind == IoRequest::Kind::trim) {
    pass_trim(place, now);
  } else {
    split(place, now);
  }
}

void PageCache::split(std::uint32_t place, Tick now) {
  const IoRequest request = io_queue_[place];
  request.each_part(kPageSize, [&](std::uint64_t at, std::uint64_t bytes) {
    io_queue_.add_parts(place, 1);
    const std::uint32_t access = accesses_.take();
    Access& record = accesses_[access];
    record.place = place;
    record.page = static_cast<std::int64_t>(at / kPageSize);
    record.write = request.kind == IoRequest::Kind::write;
    record.whole = bytes == kPageSize;
    ++counts_.lookups;
    look_up(access, now);
  });
  if (request.kind == IoRequest::Kind::read) {
    const auto first = static_cast<std::int64_t>(request.offset / kPageSize);
    read_ahead(ahead_.on_read(first, first + static_cast<std::int64_t>(request.pages()) - 1), now);
  }
}

void PageCache::read_ahead(PageRange pages, Tick now) {
  pages.end = std::min(pages.end, io_queue_.capacity() / kPageBytes);
  for (; !pages.empty(); ++pages.begin) {
    if (first_.find(pages.begin) == kNoIndex) {
      first_[add(pages.begin)].prefetched = true;
      admit(now);
    }
  }
}

// Adds a record for a page that the first level lacks, and keeps its copy in the second level.
std::uint32_t PageCache::add(std::int64_t page) {
  const std::uint32_t copy = second_.find(page);
  if (copy != kNoIndex) {
    second_.pin(copy);
  }
  const std::uint32_t frame = first_.add(page);
  dirty_links_.resize(first_.records());
  return frame;
}

void PageCache::look_up(std::uint32_t access, Tick now) {
  Access& record = accesses_[access];
  std::uint32_t frame = first_.find(record.page);
  if (frame == kNoIndex) {
    record.counted = true;  // fill() counts it
    frame = add(record.page);
    first_[frame].waiters.push_back(accesses(), access);
    admit(now);
    return;
  }
  const bool here = holds_page(first_[frame]);
  if (!record.counted && first_[frame].state != FrameState::evicting) {
    ++(here ? counts_.first_hits : counts_.merged);
    record.counted = true;
  }
  if (here) {
    serve(access, frame, now);
  } else {
    first_[frame].waiters.push_back(accesses(), access);
  }
}

void PageCache::serve(std::uint32_t access, std::uint32_t frame, Tick now) {
  Frame& record = first_[frame];
  first_.pin(frame);
  counts_.ahead_used += std::exchange(record.prefetched, false) ? 1 : 0;
  accesses_[access].frame = frame;
  if (accesses_[access].write) {
    record.handle = io_queue_[accesses_[access].place].stream;
    if (record.state != FrameState::dirty) {
      set_dirty(frame, true);
    }
  }
  events_.schedule(now + parameters_.hit, Event::served, access);
}

void PageCache::set_dirty(std::uint32_t frame, bool dirty) {
  first_[frame].state = dirty ? FrameState::dirty : FrameState::clean;
  if (dirty) {
    dirty_.push_back(dirty_links_, frame);
  } else {
    dirty_.remove(dirty_links_, frame);
  }
}

void PageCache::served(std::uint32_t access, Tick now) {
  const Access record = accesses_[access];
  accesses_.give_back(access);
  unpin(record.frame, now);
  if (io_queue_.end_part(record.place)) {
    DeviceTimes parts = record.fetched;
    parts[DevicePart::media] += parameters_.hit;
    end(record.place, now, parts);
  }
}

void PageCache::unpin(std::uint32_t frame, Tick now) {
  if (--first_[frame].pins == 0) {
    first_.list(frame, false);
    admit(now);
  }
}

// --- Fills of the first level

// Fills frames for the pages that wait, and starts as many evictions as they and the reserve need.
void PageCache::admit(Tick now) {
  const auto reserve = static_cast<std::uint64_t>(parameters_.reserve / kPageBytes);
  while (first_.waiting() > 0 || reserve > 0) {
    if (first_.waiting() > 0 && !first_.full()) {
      fill(first_.admit(), now);
      continue;
    }
    const bool enough = first_.free() + leaving_ >= first_.waiting() + reserve;
    const std::uint32_t victim = enough ? kNoIndex : first_.victim();
    if (victim == kNoIndex) {
      return;
    }
    evict(victim, now);
  }
}

void PageCache::fill(std::uint32_t frame, Tick now) {
  Frame& record = first_[frame];
  const bool ahead = record.prefetched;
  ensure(record.state == FrameState::waiting && (ahead || !record.waiters.empty()), "page cache",
         now, frame, "fill of a frame that nothing waits for");
  record.state = FrameState::filling;
  const std::uint32_t copy = second_.find(record.key);
  if (!ahead && accesses_[record.waiters.first].whole && accesses_[record.waiters.first].write) {
    ++counts_.fresh;
    if (copy != kNoIndex) {
      --second_[copy].pins;
      second_.release(copy);
    }
    filled(frame, now);
  } else if (copy != kNoIndex) {
    ++(ahead ? counts_.ahead_moves : counts_.second_hits);
    move(Move::For::promotion, frame, copy, now);
  } else {
    ++(ahead ? counts_.ahead_reads : counts_.device_reads);
    ask(Io::For::fill, IoRequest::Kind::read, frame, now);
  }
}

void PageCache::filled(std::uint32_t frame, Tick now) {
  first_[frame].state = FrameState::clean;
  ++first_[frame].pins;
  SlotChain waiters = std::exchange(first_[frame].waiters, SlotChain());
  while (!waiters.empty()) {
    look_up(waiters.pop_front(accesses()), now);
  }
  unpin(frame, now);
}

// --- Evictions from the first level

void PageCache::evict(std::uint32_t frame, Tick now) {
  first_.unlist(frame);
  ++leaving_;
  Frame& record = first_[frame];
  const bool dirty = record.state == FrameState::dirty;
  record.state = FrameState::evicting;
  if (dirty) {
    dirty_.remove(dirty_links_, frame);
    ++counts_.device_writes;
    ask(Io::For::eviction, IoRequest::Kind::write, frame, now);
  } else {
    demote(frame, now);
  }
}

void PageCache::demote(std::uint32_t frame, Tick now) {
  const std::uint32_t second = second_frame(first_[frame].key);
  if (second == kNoIndex) {
    gone(frame, now);
    return;
  }
  ++counts_.demotions;
  move(Move::For::demotion, frame, second, now);
}

// Frees the frame. Accesses that arrived meanwhile fetch the page again. The caller calls admit()
// afterwards.
void PageCache::gone(std::uint32_t frame, Tick now) {
  SlotChain waiters = std::exchange(first_[frame].waiters, SlotChain());
  first_.release(frame);
  --leaving_;
  while (!waiters.empty()) {
    look_up(waiters.pop_front(accesses()), now);
  }
}

// --- The second level

std::uint32_t PageCache::second_frame(std::int64_t page) {
  if (second_.capacity() == 0 || second_.find(page) != kNoIndex) {
    return kNoIndex;
  }
  if (second_.full()) {
    const std::uint32_t victim = second_.victim();
    if (victim == kNoIndex) {
      return kNoIndex;
    }
    second_.release(victim);
  }
  second_.add(page);
  const std::uint32_t frame = second_.admit();
  second_[frame].state = FrameState::filling;
  return frame;
}

void PageCache::move(Move::For purpose, std::uint32_t first, std::uint32_t second, Tick now) {
  const std::uint32_t tag = moves_.take();
  moves_[tag] = {purpose, first, second};
  mover_->move({second, purpose != Move::For::promotion, tag}, now);
}

bool PageCache::is_expected(const Move& move) const {
  if (move.purpose == Move::For::none) {
    return false;
  }
  const FrameState first = first_[move.first].state;
  const Frame& second = second_[move.second];
  if (move.purpose == Move::For::promotion) {
    return first == FrameState::filling && second.state == FrameState::clean && second.pins == 1;
  }
  return second.state == FrameState::filling && second.pins == 0 && first == FrameState::evicting;
}

void PageCache::on_page_moved(std::uint32_t tag, Tick now) {
  ensure(tag < moves_.size() && is_expected(moves_[tag]), "page cache", now, tag,
         "move of a page that was not requested");
  const Move done = moves_[tag];
  moves_[tag].purpose = Move::For::none;
  moves_.give_back(tag);
  if (done.purpose == Move::For::promotion) {
    --second_[done.second].pins;
    second_.release(done.second);
    filled(done.first, now);
  } else {
    second_[done.second].state = FrameState::clean;
    second_.list(done.second, false);
    gone(done.first, now);
  }
  admit(now);
}

// --- The device

void PageCache::ask(Io::For purpose, IoRequest::Kind kind, std::uint32_t frame, Tick now) {
  const std::uint32_t tag = ios_.take();
  ios_[tag] = {purpose, frame};
  IoRequest request;
  request.kind = kind;
  request.tag = tag;
  if (kind != IoRequest::Kind::flush) {
    request.offset = static_cast<std::uint64_t>(first_[frame].key) * kPageSize;
    request.bytes = kPageSize;
    request.stream = first_[frame].handle;
  }
  device_->submit(request, now);
}

bool PageCache::is_expected(const Io& io) const {
  switch (io.purpose) {
    case Io::For::none:
      return false;
    case Io::For::fill:
      return first_[io.frame].state == FrameState::filling;
    case Io::For::eviction:
      return first_[io.frame].state == FrameState::evicting;
    case Io::For::flush:
    case Io::For::end:
      return flushing_ != kNoIndex;
    case Io::For::trim:
      return io_queue_.holds(io.frame);
  }
  return false;
}

void PageCache::on_io_done(std::uint32_t tag, Tick now) {
  ensure(tag < ios_.size() && is_expected(ios_[tag]), "page cache", now, tag,
         "completion that was not requested from the device");
  const Io done = ios_[tag];
  ios_[tag].purpose = Io::For::none;
  ios_.give_back(tag);
  switch (done.purpose) {
    case Io::For::fill:
      if (const SlotChain& waiters = first_[done.frame].waiters; !waiters.empty()) {
        accesses_[waiters.first].fetched = device_->ended_times().value_or(DeviceTimes());
      }
      filled(done.frame, now);
      return;
    case Io::For::eviction:
      demote(done.frame, now);
      admit(now);
      return;
    case Io::For::flush:
      if (--flushed_ == 0) {
        ask(Io::For::end, IoRequest::Kind::flush, kNoIndex, now);
      }
      return;
    case Io::For::end:
      end(std::exchange(flushing_, kNoIndex), now);
      return;
    case Io::For::trim:
      end(done.frame, now);
      return;
    case Io::For::none:
      return;
  }
}

// Writes all dirty pages. As a barrier, it runs while no page is accessed and none is leaving.
void PageCache::flush(std::uint32_t place, Tick now) {
  flushing_ = place;
  while (!dirty_.empty()) {
    const std::uint32_t frame = dirty_.first;
    set_dirty(frame, false);
    ++flushed_;
    ++counts_.device_writes;
    ask(Io::For::flush, IoRequest::Kind::write, frame, now);
  }
  if (flushed_ == 0) {
    ask(Io::For::end, IoRequest::Kind::flush, kNoIndex, now);
  }
}

void PageCache::pass_trim(std::uint32_t place, Tick now) {
  IoRequest request = io_queue_[place];
  const auto end = static_cast<std::int64_t>((request.offset + request.bytes) / kPageSize);
  const std::uint64_t first = (request.offset + kPageSize - 1) / kPageSize;
  for (auto page = static_cast<std::int64_t>(first); page < end; ++page) {
    const std::uint32_t frame = first_.find(page);
    if (frame != kNoIndex && first_[frame].state == FrameState::dirty) {
      set_dirty(frame, false);
    }
  }
  request.tag = ios_.take();
  request.barrier = false;  // the cache's own queue has ordered it
  ios_[request.tag] = {Io::For::trim, place};
  device_->submit(request, now);
}

// --- Time

Tick PageCache::advance(Tick now) {
  for (Tick next = next_event(); next <= now; next = next_event()) {
    if (device_->next_event() <= next) {
      device_->advance(next);
    }
    if (mover_->next_event() <= next) {
      mover_->advance(next);
    }
    while (events_.next_time() <= next) {
      const auto event = events_.pop();
      served(event.payload, event.time);
    }
  }
  return next_event();
}

void PageCache::register_statistics(StatisticRegistry& registry, const std::string& path) {
  device_->register_statistics(registry, path);
  const std::string own = path + ".cache";
  const StatisticGroup cache(registry, own);
  const auto counter = [&](const char* name, const char* description, Counter& count) {
    cache.counter(name, "pages", description, count);
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
  cache.ratio("first_hit_ratio", "hits of the first level per accessed page", {&counts_.first_hits},
              {&counts_.lookups});
  cache.ratio("second_hit_ratio", "hits of the second level per page looked up in it",
              {&counts_.second_hits}, {&counts_.second_hits, &counts_.device_reads});
  cache.level("second.busy", "", "share of time in which pages move between the levels",
              mover_->busy());
  io_queue_.register_statistics(registry, own);
}

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
    check_loaded(archive);
    for (std::uint32_t frame = 0; frame < first_.records(); ++frame) {
      dirty.check(dirty.has(frame) == (first_[frame].state == FrameState::dirty));
    }
    events_.each([&](const auto& event) {
      accesses_held.claim(event.payload);
      archive.check_index(accesses_[event.payload].frame, first_.records(),
                          "access without a frame");
    });
  }
  device_->serialize(archive);
  mover_->serialize(archive);
}

void PageCache::check_loaded(const Archive& archive) {
  const std::int64_t pages = io_queue_.capacity() / kPageBytes;
  check_frames(archive, first_, pages);
  check_frames(archive, second_, pages);
  archive.check(second_.waiting() == 0, "page in wait for the second level");
  for (const std::uint32_t tag : ios_.taken()) {
    const Io& io = ios_[tag];
    const bool of_frame = io.purpose != Io::For::end && io.purpose != Io::For::trim;
    archive.check(!of_frame || io.frame < first_.records(), "I/O without a frame");
  }
  for (const std::uint32_t tag : moves_.taken()) {
    archive.check_index(moves_[tag].first, first_.records(), "move of a page without a frame");
    archive.check_index(moves_[tag].second, second_.records(), "move of a page without a frame");
  }
  archive.check_index(flushing_, io_queue_.size(), kNoIndex, "flush without a request");
  for (const std::uint32_t access : accesses_.taken()) {
    const Access& record = accesses_[access];
    archive.check_index(record.place, io_queue_.size(), "access without a request");
    archive.check_index(record.page, static_cast<std::size_t>(pages), "invalid page");
    io_queue_.add_parts(record.place, 1);
  }
}

}  // namespace hmsim
