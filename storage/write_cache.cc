// SPDX-License-Identifier: BSD-3-Clause
#include "storage/write_cache.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

// Calls see(page, lines) for each page of a request, with its lines there, one bit each.
template <class See>
void each_page(const IoRequest& request, See see) {
  request.each_part(kPageSize, [&](std::uint64_t at, std::uint64_t bytes) {
    const std::uint64_t lines = bytes / kLineSize;
    const std::uint64_t mask = lines == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lines) - 1;
    see(static_cast<std::int64_t>(at / kPageSize), mask << (at % kPageSize / kLineSize));
  });
}

}  // namespace

void WriteCacheParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "write_cache");
  set.size("size", size, {0, std::int64_t{1} << 40},
           {"write-back cache of the controller in front of the device, which keeps its content "
            "without power; 0B: none",
            "Caulfield et al., SC 2010: 256 MB of onboard DRAM for caching and write buffering"});
  set.time("hit", hit, {"time of a request that the cache serves, all of them at once", "assumed"});
  set.integer("depth", depth, {1, 65'536}, "pages",
              {"pages that the cache writes to the device at a time", "assumed"});
}

std::vector<ParameterError> WriteCacheParameters::check() const {
  std::vector<ParameterError> errors;
  if (size % kPageBytes != Bytes(0)) {
    errors.push_back({"storage.write_cache.size",
                      format_size(size) + " is not a multiple of a page, 4KiB; nearest: " +
                          format_size((size + kPageBytes / 2) / kPageBytes * kPageBytes)});
  }
  if (hit < kNanosecond) {
    errors.push_back({"storage.write_cache.hit", format_time(hit) + " is not between 1ns and 1s"});
  }
  return errors;
}

WriteCache::WriteCache(const WriteCacheParameters& parameters,
                       std::unique_ptr<StorageDevice> device)
    : QueuedDevice(device->capacity()),
      parameters_(parameters),
      device_(std::move(device)),
      frames_(parameters.frames(), create_replacement("lru", {}), no_prefetches_) {
  device_->listen(*this);
}

void WriteCache::begin(std::uint32_t place, Tick now) {
  const IoRequest::Kind kind = io_queue_[place].kind;
  if (kind == IoRequest::Kind::flush) {
    events_.schedule(now + parameters_.hit, Event::served, place);
  } else if (kind == IoRequest::Kind::read) {
    read(place, now);
  } else if (kind == IoRequest::Kind::write) {
    write(place, now);
  } else {
    pass_trim(place, now);
  }
}

void WriteCache::read(std::uint32_t place, Tick now) {
  bool here = true;
  each_page(io_queue_[place], [&](std::int64_t page, std::uint64_t lines) {
    const std::uint32_t frame = frames_.find(page);
    here = here && frame != kNoIndex && (frames_[frame].valid & lines) == lines;
  });
  ++(here ? counts_.hits : counts_.passed);
  if (here) {
    events_.schedule(now + parameters_.hit, Event::served, place);
  } else {
    ask(Io::For::pass, place, io_queue_[place], now);
  }
}

void WriteCache::write(std::uint32_t place, Tick now) {
  const IoRequest request = io_queue_[place];
  io_queue_.add_parts(place, static_cast<std::uint32_t>(request.pages()));
  each_page(request, [&](std::int64_t page, std::uint64_t lines) {
    const std::uint32_t part = parts_.take();
    parts_[part].place = place;
    parts_[part].lines = lines;
    ++counts_.pages;
    std::uint32_t frame = frames_.find(page);
    counts_.rewritten += frame == kNoIndex ? 0 : 1;
    if (frame == kNoIndex) {
      frame = frames_.add(page);
    }
    if (frames_[frame].state == FrameState::waiting) {
      frames_[frame].waiters.push_back(parts(), part);
      admit(now);
    } else {
      take(part, frame, now);
    }
  });
  destage(now);
}

void WriteCache::pass_trim(std::uint32_t place, Tick now) {
  each_page(io_queue_[place], [&](std::int64_t page, std::uint64_t lines) {
    const std::uint32_t frame = frames_.find(page);
    if (frame == kNoIndex || lines != ~std::uint64_t{0}) {
      return;
    }
    Frame& record = frames_[frame];
    record.valid &= record.expected;
    if (record.state == FrameState::dirty) {
      frames_.release(frame);
    }
  });
  ask(Io::For::pass, place, io_queue_[place], now);
  admit(now);
  destage(now);
}

// Takes a part into its page's frame. A page that is not on its way to the device becomes the last
// to go there.
void WriteCache::take(std::uint32_t part, std::uint32_t frame, Tick now) {
  const Part taken = parts_[part];
  parts_.give_back(part);
  Frame& record = frames_[frame];
  record.valid |= taken.lines;
  record.expected &= ~taken.lines;
  record.handle = io_queue_[taken.place].stream;
  if (record.state != FrameState::evicting) {
    record.state = FrameState::dirty;
    if (record.listing != FrameListing::none) {
      frames_.unlist(frame);
    }
    frames_.list(frame, false);
  }
  if (io_queue_.end_part(taken.place)) {
    events_.schedule(now + parameters_.hit, Event::served, taken.place);
  }
}

void WriteCache::admit(Tick now) {
  while (frames_.waiting() > 0 && !frames_.full()) {
    const std::uint32_t frame = frames_.admit();
    SlotChain waiters = std::exchange(frames_[frame].waiters, SlotChain());
    while (!waiters.empty()) {
      take(waiters.pop_front(parts()), frame, now);
    }
  }
}

// --- The device

void WriteCache::destage(Tick now) {
  while (destaging_ < parameters_.depth) {
    const std::uint32_t frame = frames_.victim();
    if (frame == kNoIndex) {
      return;
    }
    frames_.unlist(frame);
    Frame& record = frames_[frame];
    ensure(record.valid != 0, "write cache", now, frame, "page without changed sectors");
    record.state = FrameState::evicting;
    record.expected = record.valid;
    const auto first = static_cast<std::uint64_t>(__builtin_ctzll(record.valid));
    const auto last = static_cast<std::uint64_t>(63 - __builtin_clzll(record.valid));
    IoRequest request;
    request.kind = IoRequest::Kind::write;
    request.stream = record.handle;
    request.offset = static_cast<std::uint64_t>(record.key) * kPageSize + first * kLineSize;
    request.bytes = (last - first + 1) * kLineSize;
    ++destaging_;
    ++counts_.destaged;
    ask(Io::For::destage, frame, request, now);
  }
}

void WriteCache::destaged(std::uint32_t frame, Tick now) {
  Frame& record = frames_[frame];
  record.valid &= ~record.expected;
  record.expected = 0;
  --destaging_;
  if (record.valid == 0) {
    frames_.release(frame);
  } else {
    record.state = FrameState::dirty;
    frames_.list(frame, false);
  }
  admit(now);
  destage(now);
}

void WriteCache::ask(Io::For purpose, std::uint32_t index, IoRequest request, Tick now) {
  const std::uint32_t tag = ios_.take();
  ios_[tag] = {purpose, index};
  request.tag = tag;
  request.barrier = false;  // the cache's own queue has ordered it
  device_->submit(request, now);
}

void WriteCache::on_io_done(std::uint32_t tag, Tick now) {
  ensure(tag < ios_.size() && ios_[tag].purpose != Io::For::none, "write cache", now, tag,
         "completion that was not requested from the device");
  const Io done = ios_[tag];
  ios_[tag].purpose = Io::For::none;
  ios_.give_back(tag);
  if (done.purpose == Io::For::destage) {
    destaged(done.index, now);
  } else {
    end(done.index, now, device_->ended_times());
  }
}

Tick WriteCache::advance(Tick now) {
  for (Tick next = next_event(); next <= now; next = next_event()) {
    if (device_->next_event() <= next) {
      device_->advance(next);
    }
    while (events_.next_time() <= next) {
      const auto event = events_.pop();
      DeviceTimes parts;
      parts[DevicePart::media] = parameters_.hit;
      end(event.payload, event.time, parts);
    }
  }
  return next_event();
}

// --- Statistics and checkpoints

void WriteCache::register_statistics(StatisticRegistry& registry, const std::string& path) {
  device_->register_statistics(registry, path);
  const std::string own = path + ".write_cache";
  const StatisticGroup cache(registry, own);
  cache.counter("pages", "pages", "parts of pages that requests wrote", counts_.pages);
  cache.counter("rewritten", "pages", "parts of pages that were in the cache", counts_.rewritten);
  cache.counter("hits", "requests", "reads that the cache answered", counts_.hits);
  cache.counter("passed", "requests", "reads that went to the device", counts_.passed);
  cache.counter("destaged", "pages", "pages written to the device", counts_.destaged);
  io_queue_.register_statistics(registry, own);
}

// Checks that a part is free or waits for one frame. The chains therefore contain no cycle.
void WriteCache::serialize(Archive& archive) {
  archive.section("write cache");
  io_queue_.serialize(archive);
  archive(frames_, parts_, ios_, events_, counts_);
  SlotClaims held(archive, parts_.size(), "part of a write in two places");
  if (archive.loading()) {
    parts_.claim_free(held);
  }
  serialize_waiters(archive, frames_, parts(), parts_.size(), held);
  if (archive.loading()) {
    check_indices(archive);
    for (const std::uint32_t part : parts_.taken()) {
      archive.check_index(parts_[part].place, io_queue_.size(), "part of a page without a write");
      io_queue_.add_parts(parts_[part].place, 1);
    }
  }
  device_->serialize(archive);
}

void WriteCache::check_indices(const Archive& archive) {
  check_frames(archive, frames_, io_queue_.capacity() / kPageBytes);
  const auto check_place = each_is_one_of(archive, io_queue_.in_use());
  events_.each([&](const auto& event) { check_place(event.payload); });
  destaging_ = 0;
  for (const std::uint32_t tag : ios_.taken()) {
    if (ios_[tag].purpose == Io::For::pass) {
      check_place(ios_[tag].index);
    } else {
      archive.check_index(ios_[tag].index, frames_.records(), "I/O without a frame");
      ++destaging_;
    }
  }
}

}  // namespace hmsim
