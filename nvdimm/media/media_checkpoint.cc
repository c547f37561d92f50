// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of byte-addressable media.
#include <algorithm>

#include "core/places.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

void MediaModule::serialize(Archive& archive) {
  archive.section("media");
  archive.fixed(commands_, entries_, banks_);
  archive(free_, waiting_, events_, unfinished_, busy_, worn_, most_worn_, wear_, statistics_,
          power_, off_);
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
    if (!off_) {
      check_entries(archive);
      check_commands(archive);
      check_banks(archive);
    }
    entry_of_.clear();
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
      if (entries_[entry].line != kNoLine) {
        archive.check(entry_of_.find(entries_[entry].line) == kNoIndex,
                      "a line is in the write queue twice");
        entry_of_.insert(entries_[entry].line, entry);
      }
    }
  }
  set_next(events_.next_time());
}

// What an interrupted save has left.
void MediaModule::serialize_unsaved(Archive& archive) {
  std::vector<std::int64_t> lines;
  for (const auto& entry : unsaved_) {
    lines.push_back(entry.first);
  }
  archive(lines);
  archive.check(lines.empty() || off_, "lines are not saved, and the power is on");
  for (const std::int64_t line : lines) {
    archive.check_index(line, parameters_.capacity / kLineBytes, "a line to be saved is none");
    LineBytes& bytes = unsaved_[line];
    archive.raw(bytes.data(), bytes.size());
  }
}

// Each is free, or has a line and something to wait for.
void MediaModule::check_entries(const Archive& archive) const {
  constexpr const char* kWrong = "the write queue does not hold together";
  Places free(archive, entries_.size(), kWrong);
  for (const std::uint32_t entry : free_) {
    free.take(entry);
  }
  const std::int64_t lines = parameters_.capacity / kLineBytes;
  for (std::size_t number = 0; number < entries_.size(); ++number) {
    const Entry& entry = entries_[number];
    const bool used = entry.line != kNoLine;
    archive.check(used != free.has(number) && entry.line >= kNoLine && entry.line < lines &&
                      (used || (entry.pins == 0 && !entry.listed && !entry.writing)) &&
                      (!used || entry.pins > 0 || entry.listed || entry.writing) &&
                      (!entry.listed || (entry.dirty && !entry.writing)),
                  kWrong);
  }
  archive.check(waiting_.empty() || free_.empty(), kWrong);
  archive.check(
      statistics_.queue.value() == static_cast<std::int64_t>(entries_.size() - free_.size()),
      kWrong);
}

void MediaModule::check_commands(const Archive& archive) const {
  constexpr const char* kWrong = "commands of the NVDIMM do not hold together";
  std::vector<std::uint32_t> pins(entries_.size());
  std::uint32_t unfinished = 0;
  Places events(archive, commands_.size(), kWrong);
  events_.each([&](const auto& event) {
    if (event.kind == EventKind::decoded || event.kind == EventKind::flushed) {
      events.take(event.payload);
    }
  });
  for (std::size_t tag = 0; tag < commands_.size(); ++tag) {
    const Command& command = commands_[tag];
    unfinished += command.stage == Stage::none ? 0 : 1;
    archive.check(events.has(tag) == (command.stage == Stage::decoding), kWrong);
    archive.check(
        command.address >= Address(0) && Bytes(command.address.value()) < parameters_.capacity,
        "a command goes beyond the NVDIMM");
    if (command.stage == Stage::ready && command.write) {
      archive.check_index(command.entry, entries_.size(), kWrong);
      archive.check(entries_[command.entry].line == line_of(command.address), kWrong);
      ++pins[command.entry];
    }
  }
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    archive.check(pins[entry] == entries_[entry].pins, kWrong);
  }
  archive.check(unfinished == unfinished_, kWrong);
}

struct MediaModule::BankWork {
  Places tags;
  Places listed;
  Places written;
};

// A bank that has something to do does it, up to one event.
void MediaModule::check_banks(const Archive& archive) const {
  constexpr const char* kWrong = "banks of the media do not hold together";
  BankWork work{Places(archive, commands_.size(), kWrong), Places(archive, entries_.size(), kWrong),
                Places(archive, entries_.size(), kWrong)};
  waiting_.each([&](std::uint32_t tag) {
    work.tags.take(tag);
    archive.check(commands_[tag].write, kWrong);
  });
  Places ends(archive, banks_.size(), kWrong);
  events_.each([&](const auto& event) {
    if (event.kind == EventKind::done) {
      ends.take(event.payload);
    }
  });
  std::uint32_t busy = 0;
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
    archive.check(ends.has(bank) == banks_[bank].busy, kWrong);
    busy += banks_[bank].busy ? 1 : 0;
    check_bank(archive, bank, work);
  }
  for (std::size_t tag = 0; tag < commands_.size(); ++tag) {
    archive.check(work.tags.has(tag) == (commands_[tag].stage == Stage::waiting), kWrong);
  }
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    archive.check(work.listed.has(entry) == entries_[entry].listed &&
                      work.written.has(entry) == entries_[entry].writing,
                  kWrong);
  }
  archive.check(busy == busy_ && statistics_.busy_banks.value() == busy, kWrong);
}

void MediaModule::check_bank(const Archive& archive, std::uint32_t bank, BankWork& work) const {
  constexpr const char* kWrong = "a bank of the media does not hold together";
  const Bank& state = banks_[bank];
  const auto take_read = [&](std::uint32_t tag) {
    work.tags.take(tag);
    archive.check(!commands_[tag].write && bank_of(line_of(commands_[tag].address)) == bank,
                  kWrong);
  };
  const auto take_write = [&](Places& entries, std::uint32_t entry) {
    entries.take(entry);
    archive.check(entries_[entry].line != kNoLine && bank_of(entries_[entry].line) == bank, kWrong);
  };
  state.reads.each(take_read);
  state.writes.each([&](std::uint32_t entry) { take_write(work.listed, entry); });
  archive.check(state.busy || (state.reads.empty() && state.writes.empty()), kWrong);
  archive.check(state.moved >= Tick(0) && state.moved < kNever, kWrong);
  if (!state.busy) {
    return;
  }
  if (state.operation == MediaOperation::read) {
    take_read(state.subject);
  } else if (state.operation == MediaOperation::write) {
    take_write(work.written, state.subject);
  } else {
    archive.check(
        state.subject < gaps_.size() && state.subject / (gaps_.size() / banks_.size()) == bank,
        kWrong);
  }
}

}  // namespace hmsim
