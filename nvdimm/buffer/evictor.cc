// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/evictor.h"

#include "nvdimm/under_way.h"

namespace hmsim {

Evictor::Evictor(const NvdimmParameters& parameters, SyncBuffer& buffer, Ftl& ftl,
                 FlashArray& flash, MapTraffic& map, PendingWork& pending,
                 EvictionListener& listener, NvdimmStatistics& statistics, NvdimmData* data)
    : buffer_(buffer),
      ftl_(ftl),
      flash_(flash),
      map_(map),
      pending_(pending),
      listener_(listener),
      statistics_(statistics),
      data_(data),
      release_(parameters.buffer.release),
      combines_(parameters.nand.cache || parameters.nand.multi_plane),
      channels_(static_cast<std::uint32_t>(parameters.nand.channels)),
      luns_per_channel_(static_cast<std::uint32_t>(parameters.luns()) / channels_) {
  flash.attach(*this);
}

std::uint32_t Evictor::victim() const {
  std::uint32_t frame = buffer_.write.victim();
  while (frame != kNoIndex && is_under_way(frame)) {
    frame = buffer_.write.after(frame);
  }
  return frame;
}

// Of the first few replaceable frames, complete pages are preferred, then (static allocation) the
// flash channel whose turn it is. With dynamic allocation the page goes where there is an idle LUN.
std::uint32_t Evictor::early_victim() const {
  const bool dynamic = ftl_.shape().dynamic;
  if (dynamic && !ftl_.any_idle([this](std::uint32_t lun) { return flash_.idle(lun); })) {
    return kNoIndex;
  }
  std::uint32_t best = kNoIndex;
  std::uint32_t best_rank = kNoIndex;
  std::uint32_t frame = buffer_.write.replaceable() > 0 ? buffer_.write.victim() : kNoIndex;
  for (int i = 0; i < kEarlyWindow && frame != kNoIndex; ++i, frame = buffer_.write.after(frame)) {
    const Frame& record = buffer_.write[frame];
    const LogicalPage page = buffer_.page_of(record.key);
    const std::uint32_t home = ftl_.home(page);
    if (record.listing == FrameListing::guarded || is_under_way(frame) ||
        (!dynamic && !flash_.idle(home))) {
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

// Returns the lines of the page that the frame holds.
std::uint64_t Evictor::take(std::uint32_t eviction, std::uint32_t frame) {
  Frame& record = buffer_.write[frame];
  buffer_.write.unlist(frame);
  record.state = FrameState::evicting;
  record.link.next = evictions_[eviction].frames;
  evictions_[eviction].frames = frame;
  return buffer_.page_lines(record);
}

std::size_t Evictor::start(Tick now) {
  const std::uint32_t frame = victim();
  return frame == kNoIndex ? 0 : evict(frame, now);
}

std::size_t Evictor::start_early(Tick now) {
  const std::uint32_t frame = early_victim();
  if (frame == kNoIndex) {
    return 0;
  }
  next_channel_ =
      (channel_of(ftl_.home(buffer_.page_of(buffer_.write[frame].key))) + 1) % channels_;
  ++statistics_.preevictions;
  return evict(frame, now);
}

std::size_t Evictor::evict(std::uint32_t oldest, Tick now) {
  const std::uint32_t eviction = evictions_.take();
  const LogicalPage page = buffer_.page_of(buffer_.write[oldest].key);
  evictions_[eviction].page = page;
  under_way_.insert(page.value(), eviction);
  ++statistics_.evictions;

  std::size_t frames = 1;
  std::uint64_t lines = take(eviction, oldest);
  for (std::int64_t item = 0; buffer_.items() && item < kLinesPerPage; ++item) {
    const std::uint32_t other = buffer_.write.find(page.value() * kLinesPerPage + item);
    if (other != kNoIndex && buffer_.write[other].listing != FrameListing::none) {
      lines |= take(eviction, other);
      ++frames;
    }
  }
  evictions_[eviction].complete = lines == ~std::uint64_t{0};
  if (map_.look_up(page, map_cookie(MapUser::eviction, eviction), now)) {
    complete_page(eviction, now);
  }
  return frames;
}

void Evictor::on_mapped(std::uint32_t eviction, const GcWait& gc, Tick now) {
  evictions_[eviction].gc.add(gc);
  complete_page(eviction, now);
}

void Evictor::complete_page(std::uint32_t eviction, Tick now) {
  const LogicalPage page = evictions_[eviction].page;
  if (evictions_[eviction].complete || ftl_.place(page) == kNowhere) {
    place(eviction, now);
  } else {
    ++statistics_.eviction_reads;
    submit(FlashOperation::read, ftl_.read_lun(page), eviction, now);
  }
}

void Evictor::place(std::uint32_t eviction, Tick now) {
  const LogicalPage page = evictions_[eviction].page;
  std::uint32_t lun =
      ftl_.claim(page, [this](std::uint32_t candidate) { return flash_.idle(candidate); });
  if (lun == kNoIndex && combines_) {
    lun = ftl_.claim(page,
                     [this](std::uint32_t candidate) { return flash_.takes_program(candidate); });
  }
  if (lun == kNoIndex) {
    unplaced_.push(eviction);
    evictions_[eviction].unplaced_since = now;
    pending_.add_unplaced();
  } else {
    submit(FlashOperation::program, lun, eviction, now);
  }
}

void Evictor::on_flash_idle(std::uint32_t lun, Tick now) {
  if (unplaced_.empty()) {
    return;
  }
  const std::uint32_t eviction = unplaced_.front();
  const std::uint32_t claimed = ftl_.claim(
      evictions_[eviction].page, [lun](std::uint32_t candidate) { return candidate == lun; });
  if (claimed != kNoIndex) {
    unplaced_.pop();
    const GcWait lock = flash_.lock_of(lun, now);
    evictions_[eviction].gc.add({lock.since(evictions_[eviction].unplaced_since), lock.until});
    pending_.remove_unplaced();
    submit(FlashOperation::program, lun, eviction, now);
  }
}

void Evictor::submit(FlashOperation operation, std::uint32_t lun, std::uint32_t eviction,
                     Tick now) {
  FlashCommand command;
  command.requester = this;
  command.operation = operation;
  command.priority = FlashPriority::eviction;
  command.lun = lun;
  command.subject = eviction;
  pending_.add(lun, page_work(operation));
  flash_.submit(command, now);
}

bool Evictor::on_flash_start(const FlashCommand& command, Tick /*now*/) {
  evictions_[command.subject].gc.add(command.gc);
  if (command.operation == FlashOperation::program) {
    evictions_[command.subject].target = ftl_.allocate(command.lun, Ftl::Stream::host);
  }
  return true;
}

PhysicalPage Evictor::flash_place(const FlashCommand& command) const {
  const Eviction& eviction = evictions_[command.subject];
  if (command.operation == FlashOperation::program) {
    return eviction.target;
  }
  const PhysicalPage at = ftl_.place(eviction.page);
  return at == kNowhere ? ftl_.page_at(command.lun, 0, 0) : at;  // discarded: whatever is there
}

PhysicalPage Evictor::next_flash_place(const FlashCommand& command) const {
  return command.operation == FlashOperation::read
             ? ftl_.place(evictions_[command.subject].page)
             : ftl_.next_place(command.lun, Ftl::Stream::host);
}

void Evictor::on_flash_data_in(const FlashCommand& command, Tick now) {
  if (release_ == FrameRelease::datain) {
    complete(command.subject, now);
  }
  map_.write_back(now);
}

void Evictor::on_flash_done(const FlashCommand& command, Tick now) {
  pending_.remove(command.lun, page_work(command.operation));
  if (command.operation == FlashOperation::read) {
    place(command.subject, now);
    return;
  }
  if (command.failed) {
    ftl_.fail(evictions_[command.subject].target, true);
    place(command.subject, now);
    return;
  }
  ++statistics_.host_pages;
  if (release_ == FrameRelease::program) {
    complete(command.subject, now);
  }
}

void Evictor::complete(std::uint32_t eviction, Tick now) {
  const Eviction done = evictions_[eviction];
  if (done.discarded) {
    ftl_.commit_discarded(done.page, done.target);
  } else if (data_ == nullptr) {
    ftl_.commit(done.page, done.target);
  } else {
    PageBytes bytes = data_->page(ftl_, done.page);
    for (std::uint32_t frame = done.frames; frame != kNoIndex;
         frame = buffer_.write[frame].link.next) {
      data_->overlay(buffer_, frame, bytes);
    }
    ftl_.commit(done.page, done.target);
    data_->media.store(done.target, bytes);
  }
  under_way_.erase(done.page.value());
  evictions_.give_back(eviction);
  for (std::uint32_t frame = done.frames; frame != kNoIndex;) {
    const std::uint32_t next = buffer_.write[frame].link.next;
    listener_.on_frame_written(frame, done.gc, now);
    frame = next;
  }
}

void Evictor::discard(LogicalPage page) {
  const std::uint32_t eviction = under_way_.find(page.value());
  if (eviction != kNoIndex) {
    evictions_[eviction].discarded = true;
  }
}

void Evictor::serialize(Archive& archive) {
  archive.section("evictions");
  archive(evictions_, unplaced_, next_channel_);
  archive.check_index(next_channel_, channels_, "the next flash channel is none");
  if (!archive.loading()) {
    return;
  }
  under_way_.clear();
  const std::vector<bool> in_use = evictions_.in_use();
  for (std::uint32_t i = 0; i < evictions_.size(); ++i) {
    if (in_use[i]) {
      const std::int64_t page = evictions_[i].page.value();
      archive.check_index(page, ftl_.shape().logical_pages, "a page is evicted that is none");
      archive.check(under_way_.find(page) == kNoIndex, "a page is evicted twice at once");
      under_way_.insert(page, i);
    }
  }
}

void Evictor::check_loaded(const Archive& archive, UnderWay& under_way) const {
  constexpr const char* kWrong = "evictions do not hold together";
  Places evictions(archive, evictions_.size(), kWrong);
  evictions_.take_free(evictions);
  for (const std::uint32_t eviction : under_way.evictions) {
    evictions.take(eviction);
  }
  unplaced_.each([&](std::uint32_t eviction) {
    evictions.take(eviction);
    under_way.pending.add_unplaced();
  });
  for (const auto& [command, progress] : under_way.of(*this)) {
    under_way.pending.add(command.lun, page_work(command.operation));
    archive.check(command.priority == FlashPriority::eviction &&
                      command.subject < evictions_.size() &&
                      command.operation != FlashOperation::erase,
                  kWrong);
    const bool programs = command.operation == FlashOperation::program;
    if (programs && progress == FlashArray::Progress::in && release_ == FrameRelease::datain) {
      continue;  // the eviction is over
    }
    evictions.take(command.subject);
    under_way.ftl.claims[command.lun] += programs ? 1 : 0;
    if (programs && progress != FlashArray::Progress::queued) {
      under_way.ftl.programs.push_back(evictions_[command.subject].target);
    }
  }
  archive.check(evictions.all(), kWrong);
  check_frames(archive);
}

void Evictor::check_frames(const Archive& archive) const {
  constexpr const char* kWrong = "frames of evictions do not hold together";
  Places frames(archive, buffer_.write.records(), kWrong);
  const std::vector<bool> in_use = evictions_.in_use();
  for (std::uint32_t i = 0; i < evictions_.size(); ++i) {
    if (!in_use[i]) {
      continue;
    }
    const Eviction& eviction = evictions_[i];
    archive.check(eviction.frames != kNoIndex, kWrong);
    frames.chain(eviction.frames, [&](std::uint32_t frame) {
      const Frame& record = buffer_.write[frame];
      archive.check(
          record.state == FrameState::evicting && buffer_.page_of(record.key) == eviction.page,
          kWrong);
      return record.link.next;
    });
  }
  for (std::uint32_t frame = 0; frame < buffer_.write.records(); ++frame) {
    archive.check((buffer_.write[frame].state == FrameState::evicting) == frames.has(frame),
                  kWrong);
  }
}

}  // namespace hmsim
