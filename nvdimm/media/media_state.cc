// SPDX-License-Identifier: BSD-3-Clause
// State of a module of byte-addressable media that outlives its power, or the run.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/errors.h"
#include "core/slot_claims.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

void MediaModule::spare(Address address, const LineData& data) {
  LineBytes line = peek(address);
  data.apply_to(line);
  unsaved_.replace(line_of(address), line);
  ++power_.spared_lines;
}

// Saves the write queue, the combining buffer and the spared writes, with all banks in parallel. A
// move in progress has no effect: the line that it copied is still at its old place.
PowerRecord MediaModule::power_fail(Tick now, Tick save_for) {
  ensure(cells_.has_data(), "nvdimm", now, -1, "power failure without stored data");
  off_ = true;
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
    if (entries_[entry].dirty || entries_[entry].writing) {
      unsaved_.add(entries_[entry].line, queued_[entry]);  // unless a newer one was spared
    }
    entries_[entry] = Entry();
  }
  entry_of_.clear();
  if (buffer_ != nullptr) {
    buffer_->each_written([this](std::int64_t line, bool whole) {
      for (std::int64_t sector = 0; sector < sectors_; ++sector) {
        const LineBytes* const bytes = buffer_->written(line, sector);
        const std::int64_t at = line * sectors_ + sector;
        if (bytes != nullptr || whole) {
          unsaved_.add(at, bytes != nullptr ? *bytes : cells_.read(at));
        }
      }
    });
    buffer_->clear();
  }
  const Tick needed = unsaved_.save(cells_, media_, save_for, power_.saved_lines);
  power_.fail(parameters_.power, earlier(needed, save_for));
  return power_;
}

// Takes over the cells and registers, which keep their contents.
bool MediaModule::restore(NvdimmModule& before, Tick now, Tick recover_for) {
  auto& module = static_cast<MediaModule&>(before);
  ensure(cells_.has_data() && module.cells_.has_data(), "nvdimm", now, -1,
         "return of power without stored data");
  cells_ = std::move(module.cells_);
  unsaved_ = std::move(module.unsaved_);
  power_ = module.power_;
  const Tick needed = unsaved_.save(cells_, media_, recover_for, power_.saved_lines);
  if (needed > recover_for) {
    off_ = true;
    return false;
  }
  power_.recover(needed);
  for (std::uint32_t region = 0; region < cells_.gaps().size(); ++region) {
    if (cells_.due(region)) {
      begin(cells_.bank_of_region(region), MediaOperation::move, region, now);
    }
  }
  reschedule_at(events_.next_time());
  return true;
}

void MediaModule::serialize(Archive& archive) {
  archive.section("media");
  archive.fixed(commands_, entries_, banks_);
  archive(free_, waiting_, staged_, events_, unfinished_, cells_, statistics_, power_, off_);
  if (buffer_ != nullptr) {
    archive(*buffer_);
  }
  if (cells_.has_data()) {
    for (LineBytes& bytes : queued_) {
      archive.raw(bytes.data(), bytes.size());
    }
    unsaved_.serialize(archive, parameters_.capacity / kLineBytes);
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
  const std::size_t written = buffer_ != nullptr ? buffer_->slots() : entries_.size();
  archive.check(buffer_ != nullptr || staged_.empty(), kWrong);
  staged_.each([&](std::uint32_t entry) { archive.check_index(entry, entries_.size(), kWrong); });
  for (const Bank& bank : banks_) {
    bank.reads.each([&](std::uint32_t tag) { archive.check_index(tag, commands_.size(), kWrong); });
    bank.writes.each([&](std::uint32_t each) { archive.check_index(each, written, kWrong); });
    const std::size_t subjects = bank.operation == MediaOperation::read   ? commands_.size()
                                 : bank.operation == MediaOperation::move ? cells_.gaps().size()
                                                                          : written;
    archive.check_index(bank.subject, subjects, kWrong);
  }
  events_.each([&](const auto& event) {
    const bool combine = event.kind == EventKind::combine;
    archive.check(!combine || buffer_ != nullptr, kWrong);
    archive.check_index(event.payload,
                        combine                         ? entries_.size()
                        : event.kind == EventKind::done ? banks_.size()
                                                        : commands_.size(),
                        kWrong);
  });
}

}  // namespace hmsim
