// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/read_path.h"

#include <array>
#include <utility>

namespace hmsim {

ReadPath::ReadPath(const NvdimmParameters& parameters, CommandTable& commands, SyncBuffer& buffer,
                   Lookahead* lookahead, const Ftl& ftl, FlashArray& flash, MapTraffic& map,
                   GarbageCollector& collector, PendingWork& pending, NvdimmData* data)
    : unmapped_read_(parameters.unmapped_read),
      commands_(commands),
      buffer_(buffer),
      lookahead_(lookahead),
      ftl_(ftl),
      flash_(flash),
      map_(map),
      collector_(collector),
      pending_(pending),
      data_(data),
      shared_(parameters.buffer.shares_reads() ? std::make_unique<SharedReads>() : nullptr) {
  flash.attach(*this);
}

void ReadPath::look_up_again(std::uint32_t tag, Tick now) { look_up(tag, commands_[tag], now); }

// Looks a command of several lines up. The two parts together may hold its lines. Returns
// Found::missing if they do not. `frame`: the page's frame of the read part, or kNoIndex.
Found ReadPath::find_block(std::uint32_t tag, std::int64_t key, std::uint32_t frame, Tick now) {
  CommandTable::Command& command = commands_[tag];
  const std::uint64_t lines = buffer_.lines_of(command.address, command.lines);
  const std::uint32_t written = buffer_.write.find(key);
  const std::uint64_t newer = written == kNoIndex ? 0 : lines & buffer_.write[written].valid;
  const std::uint64_t older = lines & ~newer;
  const bool here = older == 0 || (frame != kNoIndex && (older & ~buffer_.read[frame].valid) == 0);
  if (!here) {
    return Found::missing;
  }
  if (newer != 0) {
    buffer_.write.pin(written);
  }
  if (older == 0) {
    commands_.ready(tag, command, Pinned::write_part, written, now);
    return Found::here;
  }
  Frame& record = buffer_.read[frame];
  const bool brought = (record.brought & older) != 0;
  record.brought &= ~older;
  buffer_.read.pin(frame);
  commands_.ready(tag, command, newer != 0 ? Pinned::both : Pinned::read_part, frame, now);
  return brought ? Found::brought : Found::here;
}

// `frame`: the page's frame of the read part, or kNoIndex. It lacks the line, but may have those of
// a block.
Found ReadPath::fetch_line(std::uint32_t tag, std::int64_t key, std::uint32_t frame, Tick now) {
  if (commands_[tag].lines > 1) {
    const Found found = find_block(tag, key, frame, now);
    if (found != Found::missing) {
      return found;
    }
  }
  if (frame != kNoIndex) {
    Frame& record = buffer_.read[frame];
    if (record.state != FrameState::clean) {
      commands_.wait(tag, record.waiters);
      return Found::in_flight;
    }
    // The line was written and has since left the write part, so the page is read again.
    if (record.listing != FrameListing::none) {
      buffer_.read.unlist(frame);
    }
    add_pending(record, ftl_.pages().read_lun(buffer_.page_of(key)));
    commands_.wait(tag, record.waiters);
    start_fill(frame, FlashPriority::demand, now);
    return buffer_.read[frame].joined ? Found::joined : Found::missing;
  }
  if (unmapped_read_ == UnmappedRead::zero &&
      ftl_.pages().place(buffer_.page_of(key)) == kNowhere) {
    const std::uint32_t written = buffer_.write.find(key);
    const std::uint64_t lines = buffer_.lines_of(commands_[tag].address, commands_[tag].lines);
    if (written != kNoIndex && (buffer_.write[written].valid & lines) != 0) {
      buffer_.write.pin(written);  // has some lines of a block
      commands_.ready(tag, now, Pinned::both);
    } else {
      commands_.ready(tag, now);
    }
    return Found::unmapped;
  }
  const std::uint32_t added = buffer_.read.add(key);
  Frame& record = buffer_.read[added];
  add_pending(record, ftl_.pages().read_lun(buffer_.page_of(key)));
  commands_.wait(tag, record.waiters);
  admit(now);
  return buffer_.read[added].joined ? Found::joined : Found::missing;
}

void ReadPath::admit(Tick now) {
  BufferPart& part = buffer_.read;
  while (part.waiting() > 0) {
    if (part.full()) {
      const std::uint32_t victim = part.victim();
      if (victim == kNoIndex) {
        return;
      }
      part.release(victim);
    }
    start_fill(part.admit(), FlashPriority::demand, now);
  }
}

void ReadPath::prefetch(Tick now) {
  BufferPart& part = buffer_.read;
  for (std::int64_t key = 0; lookahead_->next_prefetch(key);) {
    if (part.full()) {
      part.release(part.victim());
    }
    const std::uint32_t frame = part.add(key);
    part.admit();
    part[frame].prefetched = true;
    add_pending(part[frame], ftl_.pages().read_lun(buffer_.page_of(key)));
    ++buffer_.statistics().prefetches;
    start_fill(frame, FlashPriority::prefetch, now);
  }
}

// --- Fills

void ReadPath::start_fill(std::uint32_t frame, FlashPriority priority, Tick now) {
  Frame& record = buffer_.read[frame];
  const std::uint32_t written = buffer_.write.find(record.key);
  record.expected = buffer_.all_lines() & ~(written == kNoIndex ? 0 : buffer_.write[written].valid);
  move(record, ftl_.pages().read_lun(buffer_.page_of(record.key)));
  record.state = FrameState::filling;
  if (joins(record)) {
    if (priority == FlashPriority::prefetch) {
      lookahead_->prefetch_ended();
    }
    return;
  }
  pending_.add(record.lun, {0, 1, 0});
  const bool queued = std::exchange(record.fetching, true);
  if (shared_ != nullptr) {
    shared_->open(buffer_.page_of(record.key), frame);
  }
  if (queued) {
    return;  // the read of an earlier fill, which collection has served
  }
  const MapUser user = priority == FlashPriority::prefetch ? MapUser::prefetch : MapUser::demand;
  if (map_.look_up(buffer_.page_of(record.key), map_cookie(user, frame), now)) {
    fetch(frame, priority, GcWait(), now);
  }
}

// Returns whether another item's read brings the frame's page, and counts once as pending.
bool ReadPath::joins(Frame& frame) {
  const LogicalPage page = buffer_.page_of(frame.key);
  if (shared_ == nullptr || frame.fetching ||
      !shared_->joinable(page, ftl_.pages().read_place(page))) {
    return false;
  }
  frame.joined = true;
  pending_.remove(frame.lun, {1, 0, 0});
  return true;
}

// Collection may serve the frame meanwhile; its read is then withdrawn when it starts.
void ReadPath::fetch(std::uint32_t frame, FlashPriority priority, const GcWait& gc, Tick now) {
  const LogicalPage page = buffer_.page_of(buffer_.read.held(frame).key);
  FlashCommand command{this, FlashOperation::read, priority, ftl_.pages().read_lun(page), frame};
  command.gc = gc;
  flash_.submit(command, now);
}

// Retries each waiting command, because its line may have been written meanwhile.
void ReadPath::end_fill(std::uint32_t frame, const GcWait& gc, Tick now) {
  Frame& record = buffer_.read[frame];
  if (data_ != nullptr) {
    data_->fill(ftl_, buffer_, frame, record.expected);
  }
  record.valid |= record.expected;
  record.brought = record.prefetched ? 0 : record.brought | record.expected;
  record.expected = 0;
  record.state = FrameState::clean;
  if (!std::exchange(record.joined, false)) {
    pending_.remove(record.lun, {1, 1, 0});
  }
  commands_.wake_all(record.waiters, [&](std::uint32_t tag) {
    CommandTable::Command& command = commands_[tag];
    command.gc_blocked += gc.since(std::exchange(command.since, now));
    look_up_again(tag, now);
  });
  leave(frame, now);
}

// Ends the shared read that the frame led. Each frame that shares it takes its line, in line order.
// Frames that join from now on wait for another read.
void ReadPath::end_shared_fill(std::uint32_t leader, const GcWait& gc, Tick now) {
  std::array<std::uint32_t, kLinesPerPage> filled{};
  std::size_t count = 0;
  const std::int64_t first = buffer_.page_of(buffer_.read[leader].key).value() * kLinesPerPage;
  for (std::int64_t key = first; key < first + kLinesPerPage; ++key) {
    const std::uint32_t frame = buffer_.read.find(key);
    if (frame != kNoIndex && (frame == leader || buffer_.read[frame].joined)) {
      filled[count++] = frame;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    end_fill(filled[i], gc, now);
  }
}

void ReadPath::unpinned(std::uint32_t frame) {
  const Frame& record = buffer_.read[frame];
  if (record.state != FrameState::clean || record.fetching) {
    return;
  }
  if (record.valid == 0) {
    buffer_.read.release(frame);
  } else if (lookahead_ == nullptr) {
    buffer_.read.list(frame, false);
  } else {
    list_for_lookahead(frame);
  }
}

// Kept out of unpinned(), which then saves no registers without prefetching.
[[gnu::noinline]] void ReadPath::list_for_lookahead(std::uint32_t frame) {
  buffer_.read.list(frame, lookahead_->guards(buffer_.read[frame].key));
}

// --- Where reads that wait for flash count as pending

// Counts the frame's read as pending on the LUN.
void ReadPath::add_pending(Frame& frame, std::uint32_t lun) {
  frame.lun = lun;
  pending_.add(lun, {1, 0, 0});
}

// Moves the pending read to another LUN. Returns false if it is the same LUN.
bool ReadPath::move(Frame& frame, std::uint32_t lun) {
  if (lun == frame.lun) {
    return false;
  }
  const PendingFlash work{1, frame.state == FrameState::filling ? 1u : 0u, 0};
  pending_.remove(frame.lun, work);
  pending_.add(lun, work);
  frame.lun = lun;
  return true;
}

// Withdraws a read whose purpose was served otherwise.
void ReadPath::withdraw(std::uint32_t frame, Tick now) {
  buffer_.read[frame].fetching = false;
  leave(frame, now);
}

// Ends a read of the frame and makes the frame available, unless it is pinned.
void ReadPath::leave(std::uint32_t frame, Tick now) {
  if (buffer_.read[frame].pins == 0) {
    unpinned(frame);
    admit(now);
  }
}

// --- Flash

void ReadPath::count_prefetch(const FlashCommand& command) {
  if (command.priority == FlashPriority::prefetch && lookahead_ != nullptr) {
    lookahead_->prefetch_ended();
  }
}

bool ReadPath::on_flash_start(const FlashCommand& command, Tick now) {
  Frame& frame = buffer_.read.held(command.subject);
  if (frame.state != FrameState::filling) {
    count_prefetch(command);
    withdraw(command.subject, now);
    return false;
  }
  // The page may have moved to another LUN while the read waited for this one.
  const std::uint32_t lun = ftl_.pages().read_lun(buffer_.page_of(frame.key));
  if (lun == command.lun) {
    if (shared_ != nullptr) {
      shared_->start(buffer_.page_of(frame.key), command.subject, flash_place(command));
    }
    return true;
  }
  FlashCommand moved = command;
  moved.lun = lun;
  flash_.submit(moved, now);
  if (move(frame, lun)) {
    collector_.on_host_served(command, now);
  }
  return false;
}

PhysicalPage ReadPath::flash_place(const FlashCommand& command) const {
  return ftl_.pages().read_place(buffer_.page_of(buffer_.read.held(command.subject).key));
}

PhysicalPage ReadPath::next_flash_place(const FlashCommand& command) const {
  return buffer_.read.held(command.subject).state == FrameState::filling ? flash_place(command)
                                                                         : kNowhere;
}

void ReadPath::on_flash_done(const FlashCommand& command, Tick now) {
  count_prefetch(command);
  const std::uint32_t frame = command.subject;
  buffer_.read.held(frame).fetching = false;
  if (shared_ != nullptr && shared_->close(buffer_.page_of(buffer_.read[frame].key), frame)) {
    end_shared_fill(frame, command.gc, now);
  } else {
    end_fill(frame, command.gc, now);
  }
}

// Collection holds the page in the controller, which replaces the reads that wait for it. Frames
// that join a shared read meanwhile are also served, because that read may be withdrawn.
bool ReadPath::on_page_copied(LogicalPage page, std::uint32_t lun, Tick now) {
  const bool served = serve_copied(page, lun, now);
  if (shared_ != nullptr) {
    while (serve_copied(page, lun, now)) {
    }
    shared_->close(page);
  }
  return served;
}

bool ReadPath::serve_copied(LogicalPage page, std::uint32_t lun, Tick now) {
  const std::int64_t keys = buffer_.items() ? kLinesPerPage : 1;
  bool served = false;
  for (std::int64_t key = page.value() * keys; key < (page.value() + 1) * keys; ++key) {
    const std::uint32_t frame = buffer_.read.find(key);
    if (frame != kNoIndex && buffer_.read[frame].state == FrameState::filling) {
      served = true;
      end_fill(frame, flash_.locks().lock_of(lun, now), now);
    }
  }
  return served;
}

// --- Checkpoints

void ReadPath::serialize(Archive& archive) {
  if (shared_ != nullptr) {
    shared_->serialize(archive, buffer_);
  }
}

}  // namespace hmsim
