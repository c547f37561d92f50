// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/media_module.h"

#include "core/errors.h"

namespace hmsim {

MediaModule::MediaModule(const ModuleParameters& parameters, const MediaParameters& media,
                         AckListener& host, std::uint64_t seed)
    : parameters_(parameters),
      media_(media),
      sectors_(media_.sectors()),
      host_(host),
      cells_(parameters, media, seed),
      banks_(static_cast<std::size_t>(media_.banks)),
      commands_(parameters.tags()),
      entries_(static_cast<std::size_t>(media_.write_queue)),
      statistics_(media_.banks, media_.write_queue) {
  for (std::size_t entry = entries_.size(); entry > 0; --entry) {
    free_.push_back(static_cast<std::uint32_t>(entry - 1));
  }
  if (parameters.store_data) {
    queued_.resize(entries_.size());
  }
  if (media_.buffers_lines()) {
    buffer_ = std::make_unique<LineBuffer>(media_, parameters.store_data);
  }
}

void MediaModule::add_media_observer(MediaObserver& observer) {
  observers_.add(observer);
  for (std::uint32_t region = 0; region < cells_.gaps().size(); ++region) {
    observer.on_gap(region, cells_.next_move(region).to, cells_.gaps()[region].writes());
  }
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
    if (banks_[bank].busy) {
      observer.on_media(record_of(bank));
    }
  }
}

void MediaModule::command(std::uint32_t tag, Address address, bool write, Tick now,
                          std::uint8_t lines) {
  ensure(lines == 1, "nvdimm", now, tag, "command of several lines");
  ensure(tag < commands_.size() && commands_[tag].stage == Stage::none, "nvdimm", now, tag,
         "slot of a command is taken or invalid");
  ensure(address.value() >= 0 && Bytes(address.value()) < parameters_.capacity, "nvdimm", now, tag,
         "address beyond the capacity");
  commands_[tag] = Command();
  commands_[tag].address = address;
  commands_[tag].write = write;
  commands_[tag].stage = Stage::decoding;
  ++unfinished_;
  events_.schedule(now + media_.command_time, EventKind::decoded, tag);
  reschedule_at(events_.next_time());
}

void MediaModule::flush(std::uint32_t tag, Tick now) {
  ensure(tag < commands_.size() && unfinished_ == 0, "nvdimm", now, tag,
         "flush after unfinished commands");
  commands_[tag] = Command();
  commands_[tag].stage = Stage::decoding;
  ++unfinished_;
  events_.schedule(now + media_.command_time, EventKind::flushed, tag);
  reschedule_at(events_.next_time());
}

Tick MediaModule::advance(Tick now) {
  while (events_.next_time() <= now) {
    const auto event = events_.pop();
    if (event.kind == EventKind::decoded) {
      look_up(event.payload, event.time);
    } else if (event.kind == EventKind::flushed) {
      ready(event.payload, event.time);
    } else if (event.kind == EventKind::credit) {
      host_.on_credit(event.time);
    } else if (event.kind == EventKind::combine) {
      staged_.push(event.payload);
      combine_waiting(event.time);
    } else {
      end(event.payload, event.time);
    }
  }
  set_next(events_.next_time());
  return next_event();
}

void MediaModule::look_up(std::uint32_t tag, Tick now) {
  Command& command = commands_[tag];
  command.stage = Stage::waiting;
  const std::int64_t line = line_of(command.address);
  if (command.write) {
    if (!take_entry(tag, now)) {
      ++statistics_.queue_full;
      waiting_.push(tag);
    }
    return;
  }
  const std::uint32_t entry = entry_of_.find(line);
  if (entry != kNoIndex && (entries_[entry].dirty || entries_[entry].writing)) {
    ++statistics_.queue_reads;
    ready(tag, now);
    return;
  }
  const std::int64_t in_media = media_line(line);
  if (buffer_ != nullptr && buffer_->read(in_media, line % sectors_)) {
    ++statistics_.buffer_reads;
    ready(tag, now);
    return;
  }
  const std::uint32_t number = cells_.bank_of(in_media);
  Bank& bank = banks_[number];
  command.blocked = moved(bank, now);
  bank.reads.push(tag);
  begin(number, now);
}

// Assigns an entry of the write queue to the write: that of its line, or a free one. Returns false
// if neither exists.
bool MediaModule::take_entry(std::uint32_t tag, Tick now) {
  const std::int64_t line = line_of(commands_[tag].address);
  std::uint32_t entry = entry_of_.find(line);
  if (entry != kNoIndex) {
    ++statistics_.merged_writes;
  } else if (free_.empty()) {
    return false;
  } else {
    entry = new_entry(line, now);
  }
  ++entries_[entry].pins;
  commands_[tag].entry = entry;
  ready(tag, now);
  return true;
}

std::uint32_t MediaModule::new_entry(std::int64_t line, Tick now) {
  const std::uint32_t entry = free_.back();
  free_.pop_back();
  entries_[entry].line = line;
  entry_of_.insert(line, entry);
  count_queue(now);
  return entry;
}

void MediaModule::post(Address address, const LineData& data, std::uint16_t /*handle*/, Tick now) {
  const std::int64_t line = line_of(address);
  std::uint32_t entry = entry_of_.find(line);
  ensure(entry != kNoIndex || !free_.empty(), "nvdimm", now, -1, "write without a credit");
  if (entry != kNoIndex) {
    ++statistics_.merged_writes;
    events_.schedule(now + media_.command_time, EventKind::credit, 0);
  } else {
    entry = new_entry(line, now);
  }
  if (cells_.has_data()) {
    LineBytes bytes = peek(address);
    data.apply_to(bytes);
    queued_[entry] = bytes;
  }
  entries_[entry].dirty = true;
  queue_write(entry, now);
  reschedule_at(events_.next_time());
}

void MediaModule::count_queue(Tick now) {
  statistics_.queue.set(static_cast<std::int64_t>(entries_.size() - free_.size()), now);
}

void MediaModule::ready(std::uint32_t tag, Tick now) {
  commands_[tag].stage = Stage::ready;
  host_.on_ack(tag, now);
}

Tick MediaModule::finish(std::uint32_t tag, Tick now) {
  Command& command = commands_[tag];
  ensure(command.stage == Stage::ready, "nvdimm", now, tag, "end of a command that was not ready");
  command.stage = Stage::none;
  --unfinished_;
  if (command.write) {
    ensure(command.entry < entries_.size(), "nvdimm", now, tag, "end of a write without an entry");
    --entries_[command.entry].pins;
    entries_[command.entry].dirty = true;
    queue_write(command.entry, now);
    reschedule_at(events_.next_time());
  }
  return command.blocked;
}

void MediaModule::queue_write(std::uint32_t entry, Tick now) {
  Entry& record = entries_[entry];
  if (!record.dirty || record.pins > 0 || record.listed || record.writing) {
    return;
  }
  record.listed = true;
  if (buffer_ != nullptr) {
    events_.schedule(now + media_.command_time, EventKind::combine, entry);
    return;
  }
  const std::uint32_t bank = cells_.bank_of(record.line);
  banks_[bank].writes.push(entry);
  begin(bank, now);
}

void MediaModule::begin(std::uint32_t bank, Tick now) {
  Bank& state = banks_[bank];
  if (state.busy || (state.reads.empty() && state.writes.empty())) {
    return;
  }
  const bool turn_of_writes = !waiting_.empty() && !state.wrote && !state.writes.empty();
  if (state.reads.empty() || turn_of_writes) {
    const std::uint32_t subject = state.writes.take();
    state.wrote = true;
    if (buffer_ != nullptr) {
      buffer_->begin_write(subject);
      const bool whole = buffer_->whole(subject);
      begin(bank, whole ? MediaOperation::write : MediaOperation::update, subject, now);
      return;
    }
    entries_[subject].listed = false;
    entries_[subject].dirty = false;
    entries_[subject].writing = true;
    begin(bank, MediaOperation::write, subject, now);
  } else {
    const std::uint32_t tag = state.reads.take();
    state.wrote = false;
    end_wait(tag, state);
    begin(bank, MediaOperation::read, tag, now);
  }
}

// Counts the moves for which the read has waited.
void MediaModule::end_wait(std::uint32_t tag, const Bank& bank) {
  commands_[tag].blocked = bank.moved - commands_[tag].blocked;
  statistics_.gap_blocked_ps += static_cast<Counter>(commands_[tag].blocked.value());
}

void MediaModule::begin(std::uint32_t bank, MediaOperation operation, std::uint32_t subject,
                        Tick now) {
  Bank& state = banks_[bank];
  state.busy = true;
  state.operation = operation;
  state.subject = subject;
  state.since = now;
  ++busy_;
  statistics_.busy_banks.set(busy_, now);
  events_.schedule(now + time_of(operation), EventKind::done, bank);
  if (observers_.any()) {
    observers_.notify(&MediaObserver::on_media, record_of(bank));
  }
}

Tick MediaModule::time_of(MediaOperation operation) const {
  const MediaTechnology& medium = media_.technology;
  return (operation == MediaOperation::write ? Tick(0) : medium.read_time) +
         (operation == MediaOperation::read ? Tick(0) : medium.write_time);
}

MediaRecord MediaModule::record_of(std::uint32_t bank) const {
  const Bank& state = banks_[bank];
  const Tick end = state.since + time_of(state.operation);
  MediaRecord record{state.since, end, state.operation, bank, 0, 0, 0};
  if (state.operation == MediaOperation::move) {
    const StartGap::Move move = cells_.next_move(state.subject);
    record.place = move.to;
    record.from = move.from;
  } else {
    const std::int64_t line = state.operation == MediaOperation::read
                                  ? media_line(line_of(commands_[state.subject].address))
                              : buffer_ != nullptr ? buffer_->line(state.subject)
                                                   : entries_[state.subject].line;
    record.line = static_cast<std::uint64_t>(line);
    record.place = cells_.place(line);
  }
  return record;
}

void MediaModule::end(std::uint32_t bank, Tick now) {
  Bank& state = banks_[bank];
  ensure(state.busy, "nvdimm", now, bank, "end of an operation that never began");
  state.busy = false;
  --busy_;
  statistics_.busy_banks.set(busy_, now);
  switch (state.operation) {
    case MediaOperation::read:
      end_read(bank, now);
      break;
    case MediaOperation::update:
      ++statistics_.updates;
      [[fallthrough]];
    case MediaOperation::write:
      end_write(state.subject, now);
      break;
    case MediaOperation::move:
      state.moved += now - state.since;
      cells_.move(state.subject);
      ++statistics_.gap_moves;
      break;
  }
  begin(bank, now);
}

void MediaModule::end_read(std::uint32_t bank, Tick now) {
  Bank& state = banks_[bank];
  ++statistics_.reads;
  ready(state.subject, now);
  if (buffer_ == nullptr) {
    return;
  }
  const std::int64_t line = media_line(line_of(commands_[state.subject].address));
  buffer_->fetched(line);
  for (std::size_t left = state.reads.size(); left > 0; --left) {
    const std::uint32_t tag = state.reads.take();
    if (media_line(line_of(commands_[tag].address)) == line) {
      end_wait(tag, state);
      ++statistics_.joined_reads;
      ready(tag, now);
    } else {
      state.reads.push(tag);
    }
  }
}

// Ends the write of an entry, or of a line of the combining buffer.
void MediaModule::end_write(std::uint32_t subject, Tick now) {
  const std::int64_t line = buffer_ != nullptr ? buffer_->line(subject) : entries_[subject].line;
  ++statistics_.writes;
  for (std::int64_t i = 0; cells_.has_data() && i < sectors_; ++i) {
    const LineBytes* const bytes =
        buffer_ != nullptr ? buffer_->written(line, i) : &queued_[subject];
    if (bytes != nullptr) {
      cells_.write(line * sectors_ + i, *bytes);
    }
  }
  const std::uint32_t region = cells_.wrote(line);
  if (buffer_ != nullptr) {
    buffer_->end_write(subject);
  } else {
    entries_[subject].writing = false;
  }
  if (cells_.due(region)) {
    begin(cells_.bank_of(line), MediaOperation::move, region, now);
  }
  if (buffer_ != nullptr) {
    combine_waiting(now);
  } else if (entries_[subject].dirty || entries_[subject].pins > 0) {
    queue_write(subject, now);
  } else {
    release(subject, now);
  }
}

void MediaModule::release(std::uint32_t entry, Tick now) {
  entry_of_.erase(entries_[entry].line);
  entries_[entry].line = kNoLine;
  free_.push_back(entry);
  count_queue(now);
  if (parameters_.posted_writes > 0) {
    host_.on_credit(now);
  }
  while (!waiting_.empty() && take_entry(waiting_.front(), now)) {
    waiting_.pop();
  }
}

// Moves to the combining buffer all staged entries that it takes, in their order, and makes room
// for the others.
void MediaModule::combine_waiting(Tick now) {
  for (std::size_t left = staged_.size(); left > 0; --left) {
    const std::uint32_t entry = staged_.take();
    if (!combine(entry, now)) {
      staged_.push(entry);
    }
  }
  make_room(now);
}

bool MediaModule::combine(std::uint32_t entry, Tick now) {
  Entry& record = entries_[entry];
  ensure(record.line != kNoLine, "nvdimm", now, entry, "write of an entry without a line");
  const std::int64_t sector = record.line % sectors_;
  const std::uint32_t slot = buffer_->write(media_line(record.line), sector);
  if (slot == kNoIndex) {
    return false;
  }
  if (cells_.has_data()) {
    buffer_->bytes(slot, sector) = queued_[entry];
  }
  ++statistics_.buffer_writes;
  record.listed = false;
  record.dirty = false;
  if (buffer_->full(slot)) {
    send(slot, now);
  }
  if (record.pins == 0) {
    release(entry, now);
  }
  return true;
}

// Sends the oldest lines of the combining buffer to their banks, one for each staged entry that
// needs another line.
void MediaModule::make_room(Tick now) {
  if (buffer_->oldest() == kNoIndex || buffer_->leaving() >= staged_.size()) {
    return;
  }
  std::size_t wanted = 0;
  staged_.each([&](std::uint32_t entry) {
    wanted += buffer_->combines(media_line(entries_[entry].line)) ? 0 : 1;
  });
  while (buffer_->leaving() < wanted && buffer_->oldest() != kNoIndex) {
    send(buffer_->oldest(), now);
  }
}

void MediaModule::send(std::uint32_t slot, Tick now) {
  if (buffer_->leave(slot)) {
    const std::uint32_t bank = cells_.bank_of(buffer_->line(slot));
    banks_[bank].writes.push(slot);
    begin(bank, now);
  }
}

// Returns the time that the bank has spent on moves until `now`.
Tick MediaModule::moved(const Bank& bank, Tick now) const {
  const bool moving = bank.busy && bank.operation == MediaOperation::move;
  return bank.moved + (moving ? now - bank.since : Tick(0));
}

void MediaModule::write_line(std::uint32_t tag, const LineData& data, std::uint8_t /*line*/) {
  const Command& command = commands_[tag];
  LineBytes line = peek(command.address);
  data.apply_to(line);
  queued_[command.entry] = line;
}

// The write queue has the newest data, and the combining buffer newer ones than the cells.
LineBytes MediaModule::peek(Address address) const {
  const std::int64_t line = line_of(address);
  if (const LineBytes* const kept = unsaved_.find(line)) {
    return *kept;
  }
  const std::uint32_t entry = entry_of_.find(line);
  if (entry != kNoIndex && (entries_[entry].dirty || entries_[entry].writing)) {
    return queued_[entry];
  }
  const LineBytes* const bytes =
      buffer_ == nullptr ? nullptr : buffer_->written(media_line(line), line % sectors_);
  return bytes != nullptr ? *bytes : cells_.read(line);
}

std::int64_t MediaModule::trim(Address address, Bytes size, Tick now) {
  const std::int64_t page = kPageBytes.value();
  const std::int64_t first = (address.value() + page - 1) / page;
  const std::int64_t end = (address.value() + size.value()) / page;
  ensure(address.value() >= 0 && end * kPageBytes <= parameters_.capacity, "nvdimm", now, -1,
         "trim beyond the capacity");
  for (std::int64_t line = first * kLinesPerPage; cells_.has_data() && line < end * kLinesPerPage;
       ++line) {
    const std::uint32_t entry = entry_of_.find(line);
    if (entry != kNoIndex) {
      queued_[entry] = LineBytes();
    }
    if (buffer_ != nullptr) {
      buffer_->zero(media_line(line), line % sectors_);
    }
    cells_.zero(line);
  }
  return first < end ? end - first : 0;
}

}  // namespace hmsim
