// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of byte-addressable media.
#include <algorithm>

#include "core/slot_claims.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

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
