// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/evictor.h"

#include <array>

#include "core/slot_claims.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "inconsistent list of evictions";

}  // namespace

Evictor::Evictor(FrameRelease release, const NandParameters& nand, SyncBuffer& buffer, Ftl& ftl,
                 FlashArray& flash, MapTraffic& map, PendingWork& pending,
                 EvictionListener& listener, NvdimmData* data)
    : buffer_(buffer),
      ftl_(ftl),
      flash_(flash),
      map_(map),
      pending_(pending),
      listener_(listener),
      data_(data),
      release_(release),
      combines_(nand.cache || nand.multi_plane),
      choice_(buffer, ftl, flash, nand.multi_plane),
      most_(ftl.shape().batch()),
      open_(std::size_t{ftl.shape().dynamic ? 1 : ftl.shape().luns} * ftl.shape().streams,
            kNoIndex) {
  flash.attach(*this);
}

// Marks the frame as evicting. Returns the lines of the page that it holds.
std::uint64_t Evictor::take(std::uint32_t eviction, std::uint32_t frame) {
  Frame& record = buffer_.write[frame];
  buffer_.write.unlist(frame);
  record.state = FrameState::evicting;
  record.link.next = evictions_[eviction].frames;
  evictions_[eviction].frames = frame;
  return buffer_.page_lines(record);
}

Evictor::Started Evictor::start(Tick now) {
  const std::uint32_t frame = choice_.next();
  return frame == kNoIndex
             ? Started()
             : evict(
                   frame, [this](const auto& company) { return choice_.next_with(company); }, now);
}

Evictor::Started Evictor::start_early(Tick now) {
  const std::uint32_t frame = choice_.early(nullptr);
  if (frame == kNoIndex) {
    return {};
  }
  choice_.pass_turn(frame);
  const Started started = evict(
      frame, [this](const auto& company) { return choice_.early(&company); }, now);
  buffer_.statistics().preevictions += started.pages;
  return started;
}

// Evicts the frame's page and others. `more(company)`: returns the next frame.
template <class More>
Evictor::Started Evictor::evict(std::uint32_t oldest, More more, Tick now) {
  Started started;
  std::uint32_t first = kNoIndex;
  if (most_ == 1) {
    const LogicalPage page = choice_.page_of(oldest);
    first = begin(page, oldest, kNoIndex, choice_.stream_of(page, oldest), started);
  } else if (ftl_.shape().merge) {
    first = evict_neighbours(oldest, started);
  } else {
    const EvictionChoice::Company company = choice_.company_of(oldest);
    std::uint32_t& open = open_batch(company.home, company.stream);
    std::uint32_t count = open == kNoIndex ? 0 : evictions_[evictions_.held(open).batch].count;
    for (std::uint32_t frame = oldest; frame != kNoIndex;) {
      open = begin(choice_.page_of(frame), frame, open, company.stream, started);
      first = first == kNoIndex ? open : first;
      frame = ++count < most_ ? more(company) : kNoIndex;
    }
    open = count < most_ ? open : kNoIndex;
  }
  if (evictions_[first].next == kNoIndex) {
    if (map_.look_up(evictions_[first].page, map_cookie(MapUser::eviction, first), now)) {
      complete_page(first, now);
    }
    return started;
  }
  PartMask mapped = 0;
  PartMask bit = 1;
  for_batch(first, [&](std::uint32_t eviction) {
    const LogicalPage page = evictions_[eviction].page;
    const bool known = map_.look_up(page, map_cookie(MapUser::eviction, eviction), now);
    mapped = static_cast<PartMask>(mapped | (known ? bit : 0));
    bit = static_cast<PartMask>(bit * 2);
  });
  complete_pages(first, mapped, now);
  return started;
}

// Starts evictions of all logical pages that share a flash page with the frame's page and are in
// the buffer or in flash. Returns their batch.
std::uint32_t Evictor::evict_neighbours(std::uint32_t oldest, Started& started) {
  const std::int64_t parts = ftl_.shape().parts();
  const LogicalPage own = choice_.page_of(oldest);
  const std::uint32_t stream = choice_.stream_of(own, oldest);
  std::uint32_t last = kNoIndex;
  for (std::int64_t i = own.value() / parts * parts; i < own.value() / parts * parts + parts; ++i) {
    const LogicalPage page(i);
    std::uint32_t frame = own == page ? oldest : kNoIndex;
    bool listed = own == page;
    const std::int64_t items = buffer_.items() ? kLinesPerPage : 1;
    for (std::int64_t key = i * items; !listed && key < (i + 1) * items; ++key) {
      const std::uint32_t found = buffer_.write.find(key);
      if (found != kNoIndex && buffer_.write[found].listing != FrameListing::none) {
        frame = found;
        listed = true;
      }
    }
    if (listed || ftl_.pages().place(page) != kNowhere) {
      last = begin(page, frame, last, stream, started);
    }
  }
  return evictions_[last].batch;
}

// Starts the eviction of a page and returns its index. `oldest`: a frame that holds lines of the
// page, or kNoIndex if the buffer holds none. `before`: the last eviction of the batch so far;
// kNoIndex starts a batch. `stream`: of the batch.
std::uint32_t Evictor::begin(LogicalPage page, std::uint32_t oldest, std::uint32_t before,
                             std::uint32_t stream, Started& started) {
  const std::uint32_t eviction = evictions_.take();
  const std::uint32_t batch = before == kNoIndex ? eviction : evictions_[before].batch;
  evictions_[eviction].page = page;
  evictions_[eviction].batch = batch;
  evictions_[eviction].stream = stream;
  if (before != kNoIndex) {
    evictions_[before].next = eviction;
  }
  ++evictions_[batch].coming;
  ++evictions_[batch].count;
  choice_.begin(page, eviction);
  if (oldest == kNoIndex) {
    return eviction;
  }
  ftl_.placement().on_write(page, buffer_.write[oldest].handle);
  ++buffer_.statistics().evictions;
  ++started.pages;
  ++started.frames;
  std::uint64_t lines = take(eviction, oldest);
  for (std::int64_t item = 0; buffer_.items() && item < kLinesPerPage; ++item) {
    const std::uint32_t other = buffer_.write.find(page.value() * kLinesPerPage + item);
    if (other != kNoIndex && buffer_.write[other].listing != FrameListing::none) {
      lines |= take(eviction, other);
      ++started.frames;
    }
  }
  evictions_[eviction].complete = lines == ~std::uint64_t{0};
  return eviction;
}

void Evictor::on_mapped(std::uint32_t eviction, const GcWait& gc, Tick now) {
  evictions_.held(eviction).gc.add(gc);
  complete_page(eviction, now);
}

void Evictor::complete_page(std::uint32_t eviction, Tick now) {
  if (needs_read(eviction)) {
    read(eviction, now);
  } else {
    ready(eviction, now);
  }
}

// Returns whether flash holds lines that the page lacks.
bool Evictor::needs_read(std::uint32_t eviction) const {
  return !evictions_[eviction].complete &&
         ftl_.pages().place(evictions_[eviction].page) != kNowhere;
}

// Completes the pages of the evictions from `first` to the end of its batch. Bit i of `mapped` is
// set if the place of the i-th page is known; other evictions are skipped. Two pages in the same
// flash page share one read.
void Evictor::complete_pages(std::uint32_t first, PartMask mapped, Tick now) {
  std::array<std::uint32_t, kMostParts> work{};
  std::size_t count = 0;
  for_batch(first, [&](std::uint32_t eviction) {
    const bool known = (mapped & 1) != 0;
    mapped = static_cast<PartMask>(mapped >> 1);
    if (!known) {
      return;
    }
    for (std::size_t i = 0; i < count && needs_read(eviction); ++i) {
      if (needs_read(work[i]) &&
          ftl_.shape().same_flash_page(ftl_.pages().place(evictions_[work[i]].page),
                                       ftl_.pages().place(evictions_[eviction].page))) {
        evictions_[eviction].fetched = evictions_[work[i]].fetched;
        evictions_[work[i]].fetched = eviction;
        return;
      }
    }
    work[count++] = eviction;
  });
  for (std::size_t i = 0; i < count; ++i) {
    complete_page(work[i], now);
  }
}

void Evictor::read(std::uint32_t eviction, Tick now) {
  ++buffer_.statistics().eviction_reads;
  FlashCommand command{this, FlashOperation::read, FlashPriority::eviction,
                       ftl_.pages().read_lun(evictions_[eviction].page), eviction};
  for_chain(eviction, &Eviction::fetched, [&](std::uint32_t other) {
    const PhysicalPage at = ftl_.pages().place(evictions_[other].page);
    command.parts =
        static_cast<PartMask>(command.parts | 1u << (at.value() % ftl_.shape().parts()));
  });
  submit(command, now);
}

// Called when the page has all of its lines.
void Evictor::ready(std::uint32_t eviction, Tick now) {
  const std::uint32_t batch = evictions_[eviction].batch;
  if (--evictions_[batch].coming > 0) {
    return;
  }
  if (most_ > 1) {
    close(batch);
  }
  place(batch, now);
}

// Closes the batch to further evictions.
void Evictor::close(std::uint32_t batch) {
  std::uint32_t& open =
      open_batch(ftl_.shape().home(evictions_[batch].page), evictions_[batch].stream);
  open = open != kNoIndex && evictions_[open].batch == batch ? kNoIndex : open;
}

void Evictor::place(std::uint32_t batch, Tick now) {
  const LogicalPage page = evictions_[batch].page;
  const std::uint32_t count = evictions_[batch].count;
  std::uint32_t lun = ftl_.claims().claim(
      page, [this](std::uint32_t candidate) { return flash_.idle(candidate); }, count);
  if (lun == kNoIndex && combines_) {
    lun = ftl_.claims().claim(
        page, [this](std::uint32_t candidate) { return flash_.takes_program(candidate); }, count);
  }
  if (lun == kNoIndex) {
    unplaced_.push(batch);
    evictions_[batch].unplaced_since = now;
    pending_.add_unplaced();
  } else {
    program(lun, batch, now);
  }
}

void Evictor::on_flash_idle(std::uint32_t lun, Tick now) {
  choice_.on_lun_free();
  if (unplaced_.empty()) {
    return;
  }
  const std::uint32_t batch = unplaced_.front();
  const std::uint32_t claimed = ftl_.claims().claim(
      evictions_[batch].page, [lun](std::uint32_t candidate) { return candidate == lun; },
      evictions_[batch].count);
  if (claimed != kNoIndex) {
    unplaced_.pop();
    const GcWait lock = flash_.locks().lock_of(lun, now);
    const GcWait waited{lock.since(evictions_[batch].unplaced_since), lock.until};
    for_batch(batch, [&](std::uint32_t eviction) { evictions_[eviction].gc.add(waited); });
    pending_.remove_unplaced();
    program(lun, batch, now);
  }
}

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
    archive.check_index(evictions_[i].stream, ftl_.shape().streams, kWrong);
    std::uint32_t length = 0;
    for (std::uint32_t other = i; other != kNoIndex; other = evictions_[other].fetched) {
      archive.check(evictions_.holds(other) && ++length <= most_, kWrong);
    }
  }
}

}  // namespace hmsim
