// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nvdimm.h"

#include <algorithm>
#include <iterator>

#include "core/errors.h"
#include "nvdimm/buffer/untimed_fill.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/precondition.h"

namespace hmsim {

namespace {

// Records which flash pages hold data, in the array.
void record_programmed(const Ftl& ftl, FlashArray& flash) {
  flash.programmed().clear();
  for (std::uint32_t lun = 0; lun < ftl.shape().luns; ++lun) {
    ftl.blocks(lun).for_used([&](std::uint32_t block) {
      flash.programmed().set(lun, block,
                             ftl.frontiers().written_pages(lun, block) >> ftl.shape().part_bits);
    });
  }
  flash.observers().each([&](FlashObserver& each) { flash.programmed().report_to(each); });
}

}  // namespace

Nvdimm::Nvdimm(const NvdimmParameters& parameters, AckListener& host, std::uint64_t seed,
               const Assignments& assignments)
    : parameters_(parameters),
      host_(host),
      pending_(parameters.nand.channels, parameters.luns()),
      ftl_(ftl_shape(parameters), ftl_policies(parameters, assignments), seed),
      flash_(parameters.nand, parameters.nand.superblocks(parameters.capacity), *this, seed),
      buffer_(parameters.buffer, assignments),
      data_(parameters.store_data
                ? std::make_unique<NvdimmData>(parameters.buffer.granularity, ftl_.shape())
                : nullptr),
      lookahead_(Lookahead::make(parameters.buffer.manager, parameters.unmapped_read, assignments,
                                 buffer_, ftl_, flash_)),
      commands_(parameters, host, ftl_.shape().logical_pages, pending_, collector_,
                ftl_.statistics()),
      reads_(parameters, commands_, buffer_, lookahead_.get(), ftl_, flash_, map_, collector_,
             pending_, data_.get()),
      collector_(parameters.gc, parameters.nand, parameters.line_burst, assignments, ftl_, flash_,
                 pending_, reads_),
      map_(ftl_, flash_, pending_, *this),
      writes_(commands_, buffer_, lookahead_.get(), evictor_),
      evictor_(parameters.buffer.release, parameters.nand, buffer_, ftl_, flash_, map_, pending_,
               writes_, data_.get()),
      flush_(parameters.buffer.flush, commands_, writes_, evictor_, buffer_, pending_),
      backup_(parameters_, ftl_, flash_, buffer_, commands_.posted(), data_.get()) {
  if (data_ != nullptr) {
    ftl_.set_media(&data_->media);
  }
  if (parameters.precondition.load.empty()) {
    precondition(ftl_, parameters.precondition, seed);
  }
  start_from_ftl();
  if (parameters.precondition.starts_dirty()) {
    fill_write_part(seed);
  }
}

// Also runs when the FTL's state will be loaded from a file, since that state does not depend on
// the buffer.
void Nvdimm::fill_write_part(std::uint64_t seed) {
  const PreconditionParameters& start = parameters_.precondition;
  const std::uint64_t pages = pages_of(start.dirty, pages_in(buffer_, buffer_.write));
  fill_dirty(buffer_, next_writes(start, ftl_.shape().logical_pages, seed, pages), data_.get());
  admit_later(Tick(0));
}

void Nvdimm::write_before(const std::vector<LogicalPage>& pages) {
  UntimedWriter writer(ftl_);
  for (const LogicalPage page : pages) {
    writer.write(page);
  }
  writer.finish();
  start_from_ftl();
}

void Nvdimm::hold_read(const std::vector<LogicalPage>& pages) {
  fill_clean(buffer_, pages, ftl_, data_.get());
}

void Nvdimm::hold_written(const std::vector<LogicalPage>& pages) {
  const std::size_t most = std::min<std::size_t>(pages.size(), pages_in(buffer_, buffer_.write));
  const auto end = pages.begin() + static_cast<std::ptrdiff_t>(most);
  fill_dirty(buffer_, {std::make_reverse_iterator(end), pages.rend()}, data_.get());
  admit_later(Tick(0));
}

// Starts from the FTL's current state. Clears the counts of map accesses that led to this state.
void Nvdimm::start_from_ftl() {
  if (ftl_.map() != nullptr) {
    ftl_.map()->counts() = MapCounts();
  }
  record_programmed(ftl_, flash_);
}

Bytes Nvdimm::logical_capacity(const NvdimmParameters& parameters) {
  return static_cast<std::int64_t>(ftl_shape(parameters).logical_pages) * kPageBytes;
}

// --- Commands

void Nvdimm::command(std::uint32_t tag, Address address, bool write, Tick now, std::uint8_t lines) {
  const bool only = commands_.begin(tag, address, write, now, lines);
  if (lookahead_ != nullptr) {
    commands_[tag].asked = lookahead_->sent(address, write, lines);
    reads_.prefetch(now);
    writes_.keep_frames_free(now);
  } else if (!only) {
    return;  // something is due earlier
  }
  reschedule_at(next_of_all());
}

void Nvdimm::flush(std::uint32_t tag, Tick now) {
  commands_.begin_flush(tag, now);
  reschedule_at(next_of_all());
}

void Nvdimm::post(Address address, const LineData& data, std::uint16_t handle, Tick now) {
  PostedWrites& posted = commands_.posted();
  ensure(!posted.full(), "nvdimm", now, -1, "write without a credit");
  command(posted.add(address.value() / kLineBytes.value(), data, handle), address, true, now);
}

void Nvdimm::set_handle(std::uint32_t tag, std::uint16_t handle) {
  buffer_.write.held(commands_[tag].frame).handle = handle;
}

Tick Nvdimm::finish(std::uint32_t tag, Tick now) {
  commands_.end(tag, now);
  const CommandTable::Command& command = commands_[tag];
  if (command.pinned == Pinned::both) {
    writes_.unpin(buffer_.key_of(command.address));
    admit_later(now);
  }
  if (command.frame == kNoIndex) {
    return command.gc_blocked;
  }
  const bool in_write_part = command.pinned == Pinned::write_part;
  Frame& frame = (in_write_part ? buffer_.write : buffer_.read)[command.frame];
  --frame.pins;
  if (command.write) {
    const std::uint64_t lines = buffer_.lines_of(command.address, command.lines);
    frame.valid |= lines;
    buffer_.drop_from_read(frame.key, lines);
  }
  if (frame.pins == 0) {
    if (in_write_part) {
      writes_.unpinned(command.frame);
    } else {
      reads_.unpinned(command.frame);
    }
  }
  admit_later(now);
  return command.gc_blocked;
}

// Schedules an admission: frames may be free, but acks may be given only from within advance().
void Nvdimm::schedule_admission(Tick now) {
  const bool waits = buffer_.read.waiting() + buffer_.write.waiting() > 0;
  if (!freed_pending_ && (waits || writes_.wants_free_frame())) {
    freed_pending_ = true;
    commands_.events().schedule(now, CommandTable::EventKind::frames_freed, 0);
    reschedule_at(next_of_all());
  }
}

std::int64_t Nvdimm::trim(Address address, Bytes size, Tick now) {
  const std::int64_t first = (address.value() + kPageBytes.value() - 1) / kPageBytes.value();
  const std::int64_t end = (address.value() + size.value()) / kPageBytes.value();
  ensure(address.value() >= 0 && end <= static_cast<std::int64_t>(ftl_.shape().logical_pages),
         "nvdimm", now, -1, "trim beyond the logical capacity");
  commands_.posted().discard(first * kLinesPerPage, end * kLinesPerPage);
  for (std::int64_t page = first; page < end; ++page) {
    buffer_.discard(LogicalPage(page));
    evictor_.discard(LogicalPage(page));
    ftl_.statistics().trimmed_pages += ftl_.trim(LogicalPage(page)) ? 1 : 0;
  }
  if (first < end) {
    admit_later(now);
    map_.write_back(now);
    reschedule_at(next_of_all());
  }
  return first < end ? end - first : 0;
}

bool Nvdimm::idle() const {
  return commands_.unfinished() == 0 && flash_.idle() && evictor_.idle();
}

// --- Time

Tick Nvdimm::advance(Tick now) {
  for (;;) {
    const Tick other = earlier(commands_.events().next_time(), flash_.next_event());
    const Tick lookup = commands_.next_lookup();
    if (lookup < other && lookup <= now) {
      end_lookup();
    } else if (other <= now) {
      advance_next();
    } else {
      set_next(earlier(lookup, other));
      return next_event();
    }
  }
}

// Runs the flash's next events, which are at one time, or another next event. At equal times flash
// precedes lookups and events of the command table.
void Nvdimm::advance_next() {
  const Tick flash = flash_.next_event();
  if (flash <= commands_.next()) {
    flash_.advance(flash);
    return;
  }
  if (commands_.lookup_is_first()) {
    end_lookup();
    return;
  }
  const auto event = commands_.events().pop();
  switch (event.kind) {
    case CommandTable::EventKind::flush:
      flush_.begin(event.payload, event.time);
      return;
    case CommandTable::EventKind::posted:
      end_posted(event.payload, event.time);
      return;
    case CommandTable::EventKind::frames_freed:
      freed_pending_ = false;
      reads_.admit(event.time);
      writes_.admit(event.time);
      writes_.keep_frames_free(event.time);
      return;
  }
}

HMSIM_INLINE void Nvdimm::end_lookup() {
  const Tick now = commands_.next_lookup();
  const std::uint32_t tag = commands_.end_lookup();
  look_up(tag, now);
  if (lookahead_ != nullptr) {
    lookahead_->looked_up(commands_[tag].asked, commands_[tag].write);
    writes_.keep_frames_free(now);
  }
}

HMSIM_INLINE void Nvdimm::look_up(std::uint32_t tag, Tick now) {
  CommandTable::Command& command = commands_[tag];
  BufferStatistics& statistics = buffer_.statistics();
  if (command.write) {
    const Found found = writes_.look_up(tag, command, now);
    ++statistics.write_lookups;
    statistics.write_lines += command.lines;
    if (found == Found::here) {
      const Frame& frame = buffer_.write[command.frame];
      ++statistics.write_hits;
      statistics.write_reused += (frame.valid & buffer_.line_of(command.address)) != 0 ? 1 : 0;
    }
    statistics.write_merged += found == Found::in_flight ? 1 : 0;
    return;
  }
  const Found found = reads_.look_up(tag, command, now);
  if (found == Found::unmapped) {
    ++statistics.unmapped_reads;
    return;
  }
  ++statistics.read_lookups;
  statistics.read_lines += command.lines;
  if (found == Found::here || found == Found::brought) {
    ++statistics.read_hits;
    statistics.read_reused += found == Found::here ? 1 : 0;
  } else {
    statistics.read_missing += found == Found::missing ? 1 : 0;
    statistics.read_merged += found == Found::in_flight || found == Found::joined ? 1 : 0;
    statistics.read_joined += found == Found::joined ? 1 : 0;
  }
}

// Ends a posted write that has its frame: copies its bytes there, frees its entry and wakes the
// reads that wait for it.
void Nvdimm::end_posted(std::uint32_t tag, Tick now) {
  PostedWrites& posted = commands_.posted();
  if (data_ != nullptr) {
    write_line(tag, posted.data(tag));
  }
  set_handle(tag, posted.handle(tag));
  finish(tag, now);
  SlotChain readers = posted.readers(tag);
  posted.remove(tag);
  commands_.wake_all(readers, [&](std::uint32_t reader) {
    commands_[reader].since = now;
    reads_.look_up_again(reader, now);
  });
  host_.on_credit(now);
  flush_.resume(now);
}

// --- Flash

void Nvdimm::add_flash_observer(FlashObserver& observer) {
  flash_.add_observer(observer);
  const auto planes = static_cast<std::uint64_t>(parameters_.nand.planes);
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    ftl_.blocks(lun).for_used([&](std::uint32_t block) {
      for (std::uint64_t plane = 0; ftl_.blocks(lun)[block].bad() && plane < planes; ++plane) {
        observer.on_bad(ftl_.shape().block_index(lun, block) * planes + plane);
      }
    });
  }
}

void Nvdimm::on_flash_served(const FlashCommand& command, Tick now) {
  if (command.priority != FlashPriority::collection) {
    if (command.priority == FlashPriority::eviction || command.priority == FlashPriority::map) {
      flush_.resume(now);
    }
    collector_.on_host_served(command, now);
  }
  map_.write_back(now);
}

void Nvdimm::on_flash_idle(std::uint32_t lun, Tick now) {
  if (lookahead_ != nullptr) {
    lookahead_->idle(lun);
    reads_.prefetch(now);
  }
  if (flash_.idle(lun)) {
    evictor_.on_flash_idle(lun, now);
    writes_.keep_frames_free(now);
  }
  if (flash_.idle(lun)) {
    collector_.on_flash_idle(lun, now);
  }
}

void Nvdimm::on_flash_room(std::uint32_t lun, Tick now) {
  evictor_.on_flash_idle(lun, now);
  if (parameters_.nand.multi_plane) {
    writes_.keep_frames_free(now);
  }
}

void Nvdimm::on_mapped(std::uint32_t cookie, const GcWait& gc, Tick now) {
  const std::uint32_t number = cookie / kMapUsers;
  switch (static_cast<MapUser>(cookie % kMapUsers)) {
    case MapUser::eviction:
      evictor_.on_mapped(number, gc, now);
      break;
    case MapUser::prefetch:
      reads_.fetch(number, FlashPriority::prefetch, gc, now);
      break;
    case MapUser::demand:
      reads_.fetch(number, FlashPriority::demand, gc, now);
      break;
  }
}

// --- Data mode

void Nvdimm::write_line(std::uint32_t tag, const LineData& data, std::uint8_t line) {
  const CommandTable::Command& command = commands_[tag];
  ensure(command.frame != kNoIndex, "nvdimm", now(), tag, "write without a frame");
  const Address address = command.address + Address(line * kLineBytes.value());
  LineBytes bytes = data_->line(ftl_, buffer_, address);
  data.apply_to(bytes);
  data_->write.write(command.frame, NvdimmData::number_of(address), bytes.data());
}

LineBytes Nvdimm::read_line(std::uint32_t tag, std::uint8_t line) const {
  const CommandTable::Command& command = commands_[tag];
  const Address address = command.address + Address(line * kLineBytes.value());
  bool in_write_part = command.pinned == Pinned::write_part;
  std::uint32_t frame = command.frame;
  if (command.pinned == Pinned::both) {
    const std::uint32_t written = buffer_.write.find(buffer_.key_of(address));
    in_write_part = (buffer_.write.held(written).valid & buffer_.line_of(address)) != 0;
    frame = in_write_part ? written : frame;
  }
  if (frame == kNoIndex) {
    return LineBytes();
  }
  const FrameBytes& part = in_write_part ? data_->write : data_->read;
  return part.read(frame, NvdimmData::number_of(address));
}

// After a power failure everything that the buffer and posted writes held is saved.
LineBytes Nvdimm::peek(Address address) const {
  if (off_) {
    return data_->saved_line(ftl_, address);
  }
  LineBytes line = data_->line(ftl_, buffer_, address);
  commands_.posted().apply(address.value() / kLineBytes.value(), line);
  return line;
}

void Nvdimm::spare(Address address, const LineData& data) {
  backup_.spare(address.value() / kLineBytes.value(), peek(address), data);
}

PowerRecord Nvdimm::power_fail(Tick now, Tick save_for) {
  backup_.fail(now, save_for);
  off_ = true;
  return power_record();
}

bool Nvdimm::restore(NvdimmModule& before, Tick now, Tick recover_for) {
  off_ = !backup_.recover(static_cast<Nvdimm&>(before).backup_, now, recover_for);
  if (!off_) {
    record_programmed(ftl_, flash_);
  }
  return !off_;
}

BufferedPages Nvdimm::buffered_pages() const {
  return {static_cast<std::int64_t>((buffer_.write.capacity() - buffer_.write.free()) /
                                    buffer_.keys(1)),
          static_cast<std::int64_t>(ftl_.statistics().host_pages)};
}

void Nvdimm::reset_statistics(Tick now) {
  buffer_.statistics() = BufferStatistics();
  ftl_.reset_statistics();
  flash_.reset_statistics(now);
}

void Nvdimm::serialize_start(Archive& archive) {
  archive(ftl_);
  if (data_ != nullptr) {
    archive(data_->media);
  }
  start_from_ftl();
}

void Nvdimm::serialize(Archive& archive) {
  archive.section("nvdimm");
  archive(commands_, writes_, flush_, freed_pending_, buffer_.statistics());
  ftl_.serialize_statistics(archive);
  archive(flash_.statistics(), ftl_, flash_, buffer_, reads_, collector_, map_, evictor_);
  if (lookahead_ != nullptr) {
    archive(*lookahead_);
  }
  archive(backup_, off_, pending_);
  if (data_ != nullptr) {
    archive(*data_);
  }
  if (archive.loading()) {
    check_bounds(archive);
  }
  set_next(next_of_all());
}

// Checks that loaded numbers of pages, LUNs, frames and commands are in range.
void Nvdimm::check_bounds(const Archive& archive) const {
  const std::uint64_t pages = ftl_.shape().logical_pages;
  for (const BufferPart* part : {&buffer_.read, &buffer_.write}) {
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      archive.check_index((*part)[frame].key, buffer_.keys(pages), "invalid page");
      archive.check_index((*part)[frame].lun, ftl_.shape().luns, "invalid LUN");
    }
  }
  commands_.check_bounds(archive, buffer_, flush_.tag());
  if (data_ != nullptr) {
    for (const auto& entry : data_->unsaved) {
      archive.check_index(entry.first, pages, "invalid page to save");
    }
  }
}

}  // namespace hmsim
