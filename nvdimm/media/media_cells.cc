// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/media_cells.h"

#include "core/errors.h"

namespace hmsim {

MediaCells::MediaCells(const ModuleParameters& parameters, const MediaParameters& media,
                       std::uint64_t seed)
    : banks_(static_cast<std::uint64_t>(media.banks)),
      run_(static_cast<std::uint64_t>(media.interleave / media.line)),
      sectors_(media.sectors()),
      psi_(static_cast<std::uint64_t>(media.start_gap.psi)),
      randomised_(media.start_gap.randomised),
      layout_(static_cast<std::uint64_t>(media.region_lines(parameters.capacity)), seed),
      gaps_(static_cast<std::size_t>(media.banks * media.start_gap.regions),
            StartGap(layout_.size())),
      worn_(places()),
      data_(parameters.store_data ? std::make_unique<LineStore>() : nullptr) {}

std::uint32_t MediaCells::bank_of(std::int64_t line) const {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(line) / run_ % banks_);
}

std::uint64_t MediaCells::place(std::int64_t line) const {
  const auto index = static_cast<std::uint64_t>(line);
  const std::uint64_t in_bank = index / run_ / banks_ * run_ + index % run_;
  const std::uint64_t region =
      bank_of(line) * (gaps_.size() / banks_) + in_bank / layout_.size();  // index in the module
  ensure(region < gaps_.size(), "nvdimm", Tick(0), -1, "invalid line");
  const std::uint64_t number = in_bank % layout_.size();
  const StartGap& gap = gaps_[region];
  return region * gap.places() + gap.place(randomised_ ? layout_(number) : number);
}

StartGap::Move MediaCells::next_move(std::uint32_t region) const {
  const std::uint64_t first = region * gaps_[region].places();
  const StartGap::Move move = gaps_[region].next_move();
  return {first + move.from, first + move.to};
}

std::uint32_t MediaCells::wrote(std::int64_t line) {
  const std::uint64_t at = place(line);
  wear_out(at);
  const std::uint32_t region = region_of(at);
  gaps_[region].wrote();
  return region;
}

void MediaCells::move(std::uint32_t region) {
  const StartGap::Move move = next_move(region);
  for (std::int64_t i = 0; data_ != nullptr && i < sectors_; ++i) {
    const auto at = [&](std::uint64_t place) {
      return Address((static_cast<std::int64_t>(place) * sectors_ + i) * kLineBytes.value());
    };
    data_->copy(at(move.from), at(move.to));
  }
  wear_out(move.to);
  gaps_[region].move();
}

Address MediaCells::address_of(std::int64_t sector) const {
  const auto at = static_cast<std::int64_t>(place(sector / sectors_));
  return Address((at * sectors_ + sector % sectors_) * kLineBytes.value());
}

void MediaCells::wear_out(std::uint64_t place) {
  ++wear_;
  most_worn_ = later(most_worn_, worn_.add(place));
}

void MediaCells::serialize(Archive& archive) {
  archive(worn_, most_worn_, wear_);
  for (StartGap& gap : gaps_) {
    gap.serialize(archive);
  }
  if (data_ != nullptr) {
    archive(*data_);
  }
}

}  // namespace hmsim
