// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/media_module.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

MediaModule::MediaModule(const ModuleParameters& parameters, const MediaParameters& media,
                         AckListener& host, std::uint64_t seed)
    : parameters_(parameters),
      media_(media),
      psi_(static_cast<std::uint64_t>(media_.start_gap.psi)),
      host_(host),
      layout_(static_cast<std::uint64_t>(media_.region_lines(parameters.capacity)), seed),
      gaps_(static_cast<std::size_t>(media_.banks * media_.start_gap.regions),
            StartGap(layout_.size())),
      banks_(static_cast<std::size_t>(media_.banks)),
      commands_(parameters.tags()),
      entries_(static_cast<std::size_t>(media_.write_queue)),
      worn_(places()),
      statistics_(media_.banks, media_.write_queue) {
  for (std::size_t entry = entries_.size(); entry > 0; --entry) {
    free_.push_back(static_cast<std::uint32_t>(entry - 1));
  }
  if (parameters.store_data) {
    cells_ = std::make_unique<LineStore>();
    queued_.resize(entries_.size());
  }
}

void MediaModule::add_media_observer(MediaObserver& observer) {
  observers_.add(observer);
  for (std::size_t region = 0; region < gaps_.size(); ++region) {
    observer.on_gap(region, region * gaps_[region].places() + gaps_[region].next_move().to,
                    gaps_[region].writes());
  }
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
    if (banks_[bank].busy) {
      observer.on_media(record_of(bank));
    }
  }
}

std::uint32_t MediaModule::bank_of(std::int64_t line) const {
  const auto run = static_cast<std::uint64_t>(media_.interleave / kLineBytes);
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(line) / run % banks_.size());
}

std::uint64_t MediaModule::place(std::uint64_t line) const {
  const auto run = static_cast<std::uint64_t>(media_.interleave / kLineBytes);
  const std::uint64_t banks = banks_.size();
  const std::uint64_t in_bank = line / run / banks * run + line % run;
  const std::uint64_t bank = line / run % banks;
  const std::uint64_t region =
      bank * (gaps_.size() / banks) + in_bank / layout_.size();  // index in the module
  ensure(region < gaps_.size(), "nvdimm", Tick(0), -1, "invalid line");
  const std::uint64_t number = in_bank % layout_.size();
  const StartGap& gap = gaps_[region];
  return region * gap.places() + gap.place(media_.start_gap.randomised ? layout_(number) : number);
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
  Bank& bank = banks_[bank_of(line)];
  command.blocked = moved(bank, now);
  bank.reads.push(tag);
  begin(bank_of(line), now);
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

void MediaModule::post(Address address, const LineData& data, Tick now) {
  const std::int64_t line = line_of(address);
  std::uint32_t entry = entry_of_.find(line);
  ensure(entry != kNoIndex || !free_.empty(), "nvdimm", now, -1, "write without a credit");
  if (entry != kNoIndex) {
    ++statistics_.merged_writes;
    events_.schedule(now + media_.command_time, EventKind::credit, 0);
  } else {
    entry = new_entry(line, now);
  }
  if (cells_ != nullptr) {
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
  const std::uint32_t bank = bank_of(record.line);
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
    const std::uint32_t entry = state.writes.front();
    state.writes.pop();
    state.wrote = true;
    entries_[entry].listed = false;
    entries_[entry].dirty = false;
    entries_[entry].writing = true;
    begin(bank, MediaOperation::write, entry, now);
  } else {
    const std::uint32_t tag = state.reads.front();
    state.reads.pop();
    state.wrote = false;
    commands_[tag].blocked = state.moved - commands_[tag].blocked;
    statistics_.gap_blocked_ps += static_cast<Counter>(commands_[tag].blocked.value());
    begin(bank, MediaOperation::read, tag, now);
  }
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
    const StartGap& gap = gaps_[state.subject];
    const std::uint64_t first = state.subject * gap.places();
    record.place = first + gap.next_move().to;
    record.from = first + gap.next_move().from;
  } else {
    const std::int64_t line = state.operation == MediaOperation::read
                                  ? line_of(commands_[state.subject].address)
                                  : entries_[state.subject].line;
    record.line = static_cast<std::uint64_t>(line);
    record.place = place(record.line);
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
      ++statistics_.reads;
      ready(state.subject, now);
      break;
    case MediaOperation::write:
      end_write(state.subject, now);
      break;
    case MediaOperation::move:
      state.moved += now - state.since;
      end_move(state.subject);
      break;
  }
  begin(bank, now);
}

void MediaModule::end_write(std::uint32_t entry, Tick now) {
  Entry& record = entries_[entry];
  const std::int64_t line = record.line;
  const std::uint64_t at = place(static_cast<std::uint64_t>(line));
  const auto region = static_cast<std::uint32_t>(at / gaps_.front().places());
  ++statistics_.writes;
  store(entry);
  wear_out(at);
  gaps_[region].wrote();
  record.writing = false;
  if (gaps_[region].due(psi_)) {
    begin(bank_of(line), MediaOperation::move, region, now);
  }
  if (record.dirty || record.pins > 0) {
    queue_write(entry, now);
    return;
  }
  entry_of_.erase(line);
  record.line = kNoLine;
  free_.push_back(entry);
  count_queue(now);
  if (parameters_.posted_writes > 0) {
    host_.on_credit(now);
  }
  while (!waiting_.empty() && take_entry(waiting_.front(), now)) {
    waiting_.pop();
  }
}

void MediaModule::end_move(std::uint32_t region) {
  StartGap& gap = gaps_[region];
  const std::uint64_t first = region * gap.places();
  const StartGap::Move move = gap.next_move();
  if (cells_ != nullptr) {
    cells_->copy(address_of(first + move.from), address_of(first + move.to));
  }
  wear_out(first + move.to);
  gap.move();
  ++statistics_.gap_moves;
}

void MediaModule::wear_out(std::uint64_t place) {
  ++wear_;
  most_worn_ = later(most_worn_, worn_.add(place));
}

// Returns the time that the bank has spent on moves until `now`.
Tick MediaModule::moved(const Bank& bank, Tick now) const {
  const bool moving = bank.busy && bank.operation == MediaOperation::move;
  return bank.moved + (moving ? now - bank.since : Tick(0));
}

void MediaModule::reset_statistics(Tick now) { statistics_.reset(now); }

void MediaModule::write_line(std::uint32_t tag, const LineData& data, std::uint8_t /*line*/) {
  const Command& command = commands_[tag];
  LineBytes line = peek(command.address);
  data.apply_to(line);
  queued_[command.entry] = line;
}

// The write queue has the newest data.
LineBytes MediaModule::peek(Address address) const {
  const std::int64_t line = line_of(address);
  const auto kept = unsaved_.find(line);
  if (kept != unsaved_.end()) {
    return kept->second;
  }
  const std::uint32_t entry = entry_of_.find(line);
  return entry != kNoIndex && (entries_[entry].dirty || entries_[entry].writing)
             ? queued_[entry]
             : cells_->read(address_of(place(static_cast<std::uint64_t>(line))));
}

// Writes the entry's data to the cells.
void MediaModule::store(std::uint32_t entry) {
  if (cells_ != nullptr) {
    cells_->write(address_of(place(static_cast<std::uint64_t>(entries_[entry].line))),
                  {queued_[entry]});
  }
}

std::int64_t MediaModule::trim(Address address, Bytes size, Tick now) {
  const std::int64_t page = kPageBytes.value();
  const std::int64_t first = (address.value() + page - 1) / page;
  const std::int64_t end = (address.value() + size.value()) / page;
  ensure(address.value() >= 0 && end * kPageBytes <= parameters_.capacity, "nvdimm", now, -1,
         "trim beyond the capacity");
  for (std::int64_t line = first * kLinesPerPage; cells_ != nullptr && line < end * kLinesPerPage;
       ++line) {
    const std::uint32_t entry = entry_of_.find(line);
    if (entry != kNoIndex) {
      queued_[entry] = LineBytes();
    }
    cells_->zero(address_of(place(static_cast<std::uint64_t>(line))));
  }
  return first < end ? end - first : 0;
}

void MediaModule::spare(Address address, const LineData& data) {
  LineBytes line = peek(address);
  data.apply_to(line);
  unsaved_[line_of(address)] = line;
  ++power_.spared_lines;
}

// Saves the write queue and the spared writes, with all banks in parallel. A move in progress has
// no effect: the line that it copied is still at its old place.
PowerRecord MediaModule::power_fail(Tick now, Tick save_for) {
  ensure(cells_ != nullptr, "nvdimm", now, -1, "power failure without stored data");
  off_ = true;
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
    if (entries_[entry].dirty || entries_[entry].writing) {
      unsaved_.emplace(entries_[entry].line, queued_[entry]);  // unless a newer one was spared
    }
    entries_[entry] = Entry();
  }
  entry_of_.clear();
  std::vector<PowerLane> lanes(banks_.size(), PowerLane(save_for));
  save_rest(lanes);
  power_.fail(parameters_.power, earlier(longest(lanes), save_for));
  return power_;
}

// Saves the rest. A line whose write is interrupted is garbage until it is written again.
void MediaModule::save_rest(std::vector<PowerLane>& lanes) {
  for (auto entry = unsaved_.begin(); entry != unsaved_.end();) {
    const Address at = address_of(place(static_cast<std::uint64_t>(entry->first)));
    const PowerLane::Outcome outcome =
        lanes[bank_of(entry->first)].spend(media_.technology.write_time);
    if (outcome == PowerLane::Outcome::done) {
      cells_->write(at, {entry->second});
      ++power_.saved_lines;
      entry = unsaved_.erase(entry);
      continue;
    }
    if (outcome == PowerLane::Outcome::torn) {
      LineBytes torn = cells_->read(at);
      for (std::uint8_t& byte : torn) {
        byte = static_cast<std::uint8_t>(~byte);
      }
      cells_->write(at, {torn});
    }
    ++entry;
  }
}

// Takes over the cells and registers, which keep their contents.
bool MediaModule::restore(NvdimmModule& before, Tick now, Tick recover_for) {
  auto& module = static_cast<MediaModule&>(before);
  ensure(cells_ != nullptr && module.cells_ != nullptr, "nvdimm", now, -1,
         "return of power without stored data");
  cells_ = std::move(module.cells_);
  unsaved_ = std::move(module.unsaved_);
  gaps_ = std::move(module.gaps_);
  worn_ = std::move(module.worn_);
  most_worn_ = module.most_worn_;
  wear_ = module.wear_;
  power_ = module.power_;
  std::vector<PowerLane> lanes(banks_.size(), PowerLane(recover_for));
  save_rest(lanes);
  if (longest(lanes) > recover_for) {
    off_ = true;
    return false;
  }
  power_.recover(longest(lanes));
  const auto regions = static_cast<std::uint32_t>(gaps_.size() / banks_.size());
  for (std::uint32_t region = 0; region < gaps_.size(); ++region) {
    if (gaps_[region].due(psi_)) {
      begin(region / regions, MediaOperation::move, region, now);
    }
  }
  reschedule_at(events_.next_time());
  return true;
}

void MediaModule::serialize(Archive& archive) {
  archive.section("media");
  archive.fixed(commands_, entries_, banks_);
  archive(free_, waiting_, events_, unfinished_, worn_, most_worn_, wear_, statistics_, power_,
          off_);
  for (StartGap& gap : gaps_) {
    gap.serialize(archive);
  }
  if (cells_ != nullptr) {
    archive(*cells_);
    for (LineBytes& bytes : queued_) {
      archive.raw(bytes.data(), bytes.size());
    }
    serialize_unsaved(archive);
  }
  if (archive.loading()) {
    check_bounds(archive);
    busy_ = static_cast<std::uint32_t>(
        std::count_if(banks_.begin(), banks_.end(), [](const Bank& bank) { return bank.busy; }));
    entry_of_.clear();
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
      if (entries_[entry].line != kNoLine) {
        entry_of_.insert(entries_[entry].line, entry);
      }
    }
  }
  set_next(events_.next_time());
}

// Serializes the lines that an interrupted save left.
void MediaModule::serialize_unsaved(Archive& archive) {
  std::vector<std::int64_t> lines;
  for (const auto& entry : unsaved_) {
    lines.push_back(entry.first);
  }
  archive(lines);
  for (const std::int64_t line : lines) {
    archive.check_index(line, parameters_.capacity / kLineBytes, "invalid line");
    LineBytes& bytes = unsaved_[line];
    archive.raw(bytes.data(), bytes.size());
  }
}

// Checks that loaded numbers of lines, entries, commands and banks are in range, and that each free
// entry is listed once.
void MediaModule::check_bounds(const Archive& archive) const {
  constexpr const char* kWrong = "operation on an invalid command or line";
  const std::int64_t lines = parameters_.capacity / kLineBytes;
  SlotClaims free(archive, entries_.size(), "entry of the write queue that is free and in use");
  for (const std::uint32_t entry : free_) {
    free.claim(entry);
    free.check(entries_[entry].line == kNoLine);
  }
  for (const Entry& entry : entries_) {
    archive.check(entry.line >= kNoLine && entry.line < lines, kWrong);
  }
  for (const Command& command : commands_) {
    archive.check(command.address >= Address(0) && line_of(command.address) < lines, kWrong);
    archive.check_index(command.entry, entries_.size(), kNoIndex, kWrong);
  }
  waiting_.each([&](std::uint32_t tag) { archive.check_index(tag, commands_.size(), kWrong); });
  for (const Bank& bank : banks_) {
    bank.reads.each([&](std::uint32_t tag) { archive.check_index(tag, commands_.size(), kWrong); });
    bank.writes.each(
        [&](std::uint32_t entry) { archive.check_index(entry, entries_.size(), kWrong); });
    const std::size_t subjects = bank.operation == MediaOperation::read    ? commands_.size()
                                 : bank.operation == MediaOperation::write ? entries_.size()
                                                                           : gaps_.size();
    archive.check_index(bank.subject, subjects, kWrong);
  }
  events_.each([&](const auto& event) {
    archive.check_index(event.payload,
                        event.kind == EventKind::done ? banks_.size() : commands_.size(), kWrong);
  });
}

}  // namespace hmsim
