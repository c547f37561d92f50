// SPDX-License-Identifier: BSD-3-Clause
// Data mode of byte-addressable media: its lines' bytes, and what power failures leave of them.
#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "nvdimm/media_module.h"

namespace hmsim {

void MediaModule::write_line(std::uint32_t tag, const LineData& data) {
  const Command& command = commands_[tag];
  LineBytes line = peek(command.address);
  data.apply_to(line);
  queued_[command.entry] = line;
}

// The write queue first: it holds the newest data.
LineBytes MediaModule::peek(Address address) const {
  const std::int64_t line = line_of(address);
  const std::uint32_t entry = entry_of_.find(line);
  return entry != kNoIndex && (entries_[entry].dirty || entries_[entry].writing)
             ? queued_[entry]
             : cells_->read(address_of(place(static_cast<std::uint64_t>(line))));
}

// What an entry holds goes into the cells.
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
         "a trim goes beyond the capacity");
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

// The write queue goes into the cells, by all banks at once. A move that was under way has not
// happened: the line that it copied is still where it was.
PowerRecord MediaModule::power_fail(Tick now) {
  ensure(cells_ != nullptr, "nvdimm", now, -1, "a power failure outside data mode");
  std::vector<Tick> busy(banks_.size());
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
    if (entries_[entry].dirty || entries_[entry].writing) {
      store(entry);
      busy[bank_of(entries_[entry].line)] += media_.technology.write_time;
      ++power_.saved_lines;
    }
    entries_[entry] = Entry();
  }
  entry_of_.clear();
  ++power_.failures;
  const Tick hold_up = *std::max_element(busy.begin(), busy.end());
  power_.hold_up = later(power_.hold_up, hold_up);
  power_.energy = std::max(power_.energy, flush_energy(parameters_.power, hold_up));
  return power_;
}

// Cells and registers keep their contents.
void MediaModule::restore(NvdimmModule& before, Tick now) {
  auto& module = static_cast<MediaModule&>(before);
  ensure(cells_ != nullptr && module.cells_ != nullptr, "nvdimm", now, -1,
         "power returns outside data mode");
  cells_ = std::move(module.cells_);
  gaps_ = std::move(module.gaps_);
  worn_ = std::move(module.worn_);
  most_worn_ = module.most_worn_;
  wear_ = module.wear_;
  power_ = module.power_;
  const auto regions = static_cast<std::uint32_t>(gaps_.size() / banks_.size());
  for (std::uint32_t region = 0; region < gaps_.size(); ++region) {
    if (gaps_[region].due(psi_)) {
      begin(region / regions, MediaOperation::move, region, now);
    }
  }
  is_due(events_.next_time());
}

}  // namespace hmsim
