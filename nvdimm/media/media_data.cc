// SPDX-License-Identifier: BSD-3-Clause
// Data mode of byte-addressable media: the bytes of lines, and what power failures leave of them.
#include <utility>

#include "core/errors.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

void MediaModule::write_line(std::uint32_t tag, const LineData& data) {
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

}  // namespace hmsim
