// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nvdimm.h"

#include <utility>

#include "core/errors.h"
#include "nvdimm/precondition.h"

namespace hmsim {

Nvdimm::Nvdimm(const NvdimmParameters& parameters, AckListener& host, std::uint64_t seed,
               const Assignments& assignments)
    : parameters_(parameters),
      host_(host),
      unmapped_read_(parameters.unmapped_read),
      lookup_time_(parameters.buffer.lookup),
      serial_lookups_(parameters.buffer.port == BufferPort::serial),
      statistics_(parameters.luns(), parameters.nand.channels),
      pending_(parameters.nand.channels, parameters.luns()),
      ftl_(ftl_shape(parameters), victim_selector(parameters.ftl.victim, assignments), seed),
      flash_(parameters, *this, statistics_, seed),
      buffer_(parameters.buffer, assignments, statistics_.prefetch_unused),
      data_(parameters.store_data ? std::make_unique<NvdimmData>(parameters, ftl_.shape())
                                  : nullptr),
      lookahead_(Lookahead::make(parameters, assignments, buffer_, ftl_, flash_)),
      collector_(parameters, assignments, ftl_, flash_, pending_, *this, statistics_),
      map_(ftl_, flash_, pending_, *this, statistics_),
      evictor_(parameters, buffer_, ftl_, flash_, map_, pending_, *this, statistics_, data_.get()),
      commands_(static_cast<std::size_t>(parameters.command_queue)),
      posted_(static_cast<std::size_t>(parameters.command_queue - parameters.posted_writes),
              static_cast<std::size_t>(parameters.posted_writes), parameters.store_data) {
  flash_.attach(*this);
  if (data_ != nullptr) {
    ftl_.set_media(&data_->media);
  }
  precondition(ftl_, parameters.precondition, seed);
  map_counts() = MapCounts();
  tell_programmed();
}

void Nvdimm::tell_programmed() {
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    for (std::uint32_t block = 0; block < ftl_.shape().blocks; ++block) {
      flash_.set_programmed(lun, block, ftl_.written_pages(lun, block));
    }
  }
}

Bytes Nvdimm::logical_capacity(const NvdimmParameters& parameters) {
  return static_cast<std::int64_t>(ftl_shape(parameters).logical_pages) * kPageBytes;
}

void Nvdimm::command(std::uint32_t tag, Address address, bool write, Tick now) {
  ensure(tag < commands_.size() && commands_[tag].stage == Stage::none, "nvdimm", now, tag,
         "a command's slot is taken or does not exist");
  // A negative one is beyond it, too.
  ensure(
      static_cast<std::uint64_t>(address.value()) / static_cast<std::uint64_t>(kPageBytes.value()) <
          ftl_.shape().logical_pages,
      "nvdimm", now, tag, "an address is outside the logical capacity");
  const Tick start = serial_lookups_ ? later(now, lookup_free_) : now;
  lookup_free_ = start + lookup_time_;
  Command& command = commands_[tag];
  command.address = address;
  command.arrival = now;
  command.collections = collector_.ended();
  command.since = lookup_free_;
  command.order = events_.take_order();
  command.gc_blocked = Tick(0);
  command.frame = kNoIndex;
  command.stage = Stage::lookup;
  command.write = write;
  ++unfinished_;
  pending_.begin();
  const bool first = lookups_.empty();
  lookups_.push_back(links(), tag);
  if (first) {
    next_lookup_ = lookup_free_;
  }
  if (lookahead_ != nullptr) {
    command.asked = lookahead_->sent(address, write);
    prefetch(now);
    keep_frames_free(now);
  } else if (!first) {
    return;  // something is due earlier
  }
  is_due(next_of_all());
}

Tick Nvdimm::finish(std::uint32_t tag, Tick now) {
  Command& command = commands_[tag];
  ensure(command.stage == Stage::ready, "nvdimm", now, tag, "a command ends that was not ready");
  command.stage = Stage::none;
  --unfinished_;
  pending_.end();
  if (command.frame == kNoIndex) {
    return command.gc_blocked;
  }
  Frame& frame = (command.in_write_part ? buffer_.write : buffer_.read)[command.frame];
  --frame.pins;
  if (command.write) {
    const std::uint64_t line = buffer_.line_of(command.address);
    frame.valid |= line;
    buffer_.drop_from_read(frame.key, line);
  }
  if (frame.pins == 0) {
    if (command.in_write_part) {
      settle_write_frame(command.frame);
    } else {
      settle_read_frame(command.frame);
    }
  }
  admit_later(now);
  return command.gc_blocked;
}

// Frames are free, but acks may only be given from advance().
void Nvdimm::schedule_admission(Tick now) {
  if (!freed_pending_ && (buffer_.read.waiting() + buffer_.write.waiting() > 0 ||
                          (lookahead_ != nullptr && lookahead_->wants_free_frame(leaving_)))) {
    freed_pending_ = true;
    events_.schedule(now, EventKind::frames_freed, 0);
    is_due(next_of_all());
  }
}

bool Nvdimm::idle() const { return unfinished_ == 0 && flash_.idle() && evictor_.idle(); }

Tick Nvdimm::advance(Tick now) {
  for (;;) {
    const Tick other = earlier(events_.next_time(), flash_.next_event());
    if (next_lookup_ < other && next_lookup_ <= now) {
      end_lookup();
    } else if (other <= now) {
      advance_one();
    } else {
      set_next(earlier(next_lookup_, other));
      return next_event();
    }
  }
}

// What comes first, though lookups may end at the same time.
void Nvdimm::advance_one() {
  if (flash_.next_event() <= next_own()) {
    flash_.advance_one();
    return;
  }
  if (lookup_is_next()) {
    end_lookup();
    return;
  }
  const auto event = events_.pop();
  if (event.kind == EventKind::flush) {
    flush_ = event.payload;
    write_back(event.time);
  } else if (event.kind == EventKind::posted) {
    end_posted(event.payload, event.time);
  } else {
    freed_pending_ = false;
    admit_reads(event.time);
    admit_writes(event.time);
    keep_frames_free(event.time);
  }
}

HMSIM_INLINE void Nvdimm::end_lookup() {
  const std::uint32_t tag = lookups_.pop_front(links());
  const Tick now = next_lookup_;
  next_lookup_ = lookups_.empty() ? kNever : commands_[lookups_.first].since;
  look_up(tag, now);
  if (lookahead_ != nullptr) {
    const Command& command = commands_[tag];
    lookahead_->looked_up(command.asked, command.write);
    keep_frames_free(now);
  }
}

HMSIM_INLINE void Nvdimm::look_up(std::uint32_t tag, Tick now) {
  if (commands_[tag].write) {
    const Found found = seek_write(tag, now);
    ++statistics_.write_lookups;
    statistics_.write_hits += found == Found::here ? 1 : 0;
    statistics_.write_merged += found == Found::on_its_way ? 1 : 0;
    return;
  }
  const Found found = seek_line(tag, now);
  if (found == Found::unmapped) {
    ++statistics_.unmapped_reads;
    return;
  }
  ++statistics_.read_lookups;
  if (found == Found::here) {
    ++statistics_.read_hits;
  } else {
    statistics_.read_merged += found == Found::on_its_way ? 1 : 0;
  }
}

HMSIM_INLINE void Nvdimm::ready(std::uint32_t tag, bool in_write_part, std::uint32_t frame,
                                Tick now) {
  Command& command = commands_[tag];
  if (collector_.begun() != command.collections) {
    statistics_.gc_overlapped_ack.add((now - command.arrival).value());
  }
  command.stage = Stage::ready;
  command.in_write_part = in_write_part;
  command.frame = frame;
  (in_write_part ? buffer_.write : buffer_.read).pin(frame);
  if (posted_.owns(tag)) {
    events_.schedule(now, EventKind::posted, tag);
  } else {
    host_.on_ack(tag, now);
  }
}

Nvdimm::Found Nvdimm::seek_read(std::uint32_t tag, Tick now) { return seek_line(tag, now); }

// The newest data are those of posted writes, then those of the write part.
HMSIM_INLINE Nvdimm::Found Nvdimm::seek_line(std::uint32_t tag, Tick now) {
  const Address address = commands_[tag].address;
  const std::int64_t key = buffer_.key_of(address);
  const std::uint64_t line = buffer_.line_of(address);
  if (!posted_.empty()) {
    const std::uint32_t posted = posted_.latest(address.value() / kLineBytes.value());
    if (posted != kNoIndex) {
      wait(tag, posted_.readers(posted));
      return Found::on_its_way;
    }
  }
  const std::uint32_t written = buffer_.write.find(key);
  if (written != kNoIndex && (buffer_.write[written].valid & line) != 0) {
    ready(tag, true, written, now);
    return Found::here;
  }
  const std::uint32_t frame = buffer_.read.find(key);
  if (frame != kNoIndex) {
    Frame& record = buffer_.read[frame];
    if (record.prefetched) {
      record.prefetched = false;
      ++(record.state == FrameState::clean ? statistics_.prefetch_useful
                                           : statistics_.prefetch_late);
    }
    if ((record.valid & line) != 0) {
      ready(tag, false, frame, now);
      return Found::here;
    }
  }
  return fetch_line(tag, key, frame, now);
}

// `frame`: of the read part, which the line is not in, or none.
Nvdimm::Found Nvdimm::fetch_line(std::uint32_t tag, std::int64_t key, std::uint32_t frame,
                                 Tick now) {
  if (frame != kNoIndex) {
    Frame& record = buffer_.read[frame];
    if (record.state != FrameState::clean) {
      wait_for_read(tag, record);
      return Found::on_its_way;
    }
    // The line was written, and has left the write part since: the page is read again.
    if (record.listing != FrameListing::none) {
      buffer_.read.unlist(frame);
    }
    owe_read(record, ftl_.read_lun(buffer_.page_of(key)));
    wait_for_read(tag, record);
    start_fill(frame, FlashPriority::demand, now);
    return Found::missing;
  }
  if (unmapped_read_ == UnmappedRead::zero && ftl_.place(buffer_.page_of(key)) == kNowhere) {
    commands_[tag].stage = Stage::ready;
    host_.on_ack(tag, now);
    return Found::unmapped;
  }
  Frame& record = buffer_.read[buffer_.read.add(key)];
  owe_read(record, ftl_.read_lun(buffer_.page_of(key)));
  wait_for_read(tag, record);
  admit_reads(now);
  return Found::missing;
}

Nvdimm::Found Nvdimm::seek_write(std::uint32_t tag, Tick now) {
  const std::int64_t key = buffer_.key_of(commands_[tag].address);
  const std::uint32_t frame = buffer_.write.find(key);
  if (frame == kNoIndex) {
    wait(tag, buffer_.write[buffer_.write.add(key)]);
    admit_writes(now);
    return Found::missing;
  }
  Frame& record = buffer_.write[frame];
  switch (record.state) {
    case FrameState::clean:
      record.state = FrameState::dirty;
      --leaving_;
      ready(tag, true, frame, now);
      admit_writes(now);
      return Found::here;
    case FrameState::dirty:
      ready(tag, true, frame, now);
      return Found::here;
    case FrameState::evicting:
      leaving_ -= record.waiters.empty() ? 1 : 0;
      wait(tag, record);
      admit_writes(now);
      return Found::on_its_way;
    default:
      wait(tag, record);
      return Found::on_its_way;
  }
}

void Nvdimm::wait(std::uint32_t tag, Frame& frame) { wait(tag, frame.waiters); }

void Nvdimm::wait(std::uint32_t tag, SlotChain& chain) {
  commands_[tag].stage = Stage::waiting;
  chain.push_back(links(), tag);
  pending_.wait();
}

void Nvdimm::admit_reads(Tick now) {
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

// One frame is to become free for each page that waits.
void Nvdimm::admit_writes(Tick now, const GcWait& gc) {
  BufferPart& part = buffer_.write;
  while (part.waiting() > 0 && !part.full()) {
    accept_writes(part.admit(), gc, now);
  }
  while (part.waiting() > leaving_) {
    const std::size_t frames = evictor_.start(now);
    if (frames == 0) {
      return;
    }
    leaving_ += frames;
  }
}

void Nvdimm::accept_writes(std::uint32_t frame, const GcWait& gc, Tick now) {
  Frame& record = buffer_.write[frame];
  record.state = FrameState::dirty;
  SlotChain waiters = std::exchange(record.waiters, SlotChain());
  while (!waiters.empty()) {
    const std::uint32_t tag = waiters.pop_front(links());
    pending_.resume();
    commands_[tag].gc_blocked = gc.since(commands_[tag].since);
    ready(tag, true, frame, now);
  }
}

void Nvdimm::on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) {
  Frame& record = buffer_.write[frame];
  record.state = FrameState::clean;
  if (!record.waiters.empty()) {
    accept_writes(frame, gc, now);
  } else if (record.pins == 0) {
    settle_write_frame(frame);
    admit_writes(now, gc);
  }
}

void Nvdimm::reset_statistics(Tick now) {
  flash_.account(now);
  statistics_.reset(now);
}

}  // namespace hmsim
