// SPDX-License-Identifier: BSD-3-Clause
// Cells of one module of byte-addressable media: where media lines are, how worn the places are,
// and, in data mode, their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/line_store.h"
#include "core/random.h"
#include "nvdimm/media/media_parameters.h"
#include "nvdimm/media/start_gap.h"
#include "nvdimm/media/wear_counts.h"
#include "nvdimm/module/module_parameters.h"

namespace hmsim {

// `line` is a media line, in the host's numbering; `sector` is a line of the host. Lines of a bank
// belong to its regions in turn, each with a gap.
class MediaCells {
 public:
  MediaCells(const ModuleParameters& parameters, const MediaParameters& media, std::uint64_t seed);

  std::uint32_t bank_of(std::int64_t line) const;
  // Returns a line's place, as in MediaRecord::place.
  std::uint64_t place(std::int64_t line) const;
  std::uint32_t region_of(std::uint64_t place) const {
    return static_cast<std::uint32_t>(place / gaps_.front().places());
  }
  std::uint32_t bank_of_region(std::uint32_t region) const {
    return static_cast<std::uint32_t>(region * banks_ / gaps_.size());
  }
  const std::vector<StartGap>& gaps() const { return gaps_; }  // by region, bank by bank
  // Returns whether a region's next move is due, and the places that it concerns.
  bool due(std::uint32_t region) const { return gaps_[region].due(psi_); }
  StartGap::Move next_move(std::uint32_t region) const;

  // Record a write of a line, and a move of the line that is next in its region. wrote() returns
  // the region.
  std::uint32_t wrote(std::int64_t line);
  void move(std::uint32_t region);

  // Return the writes to the most worn place and to all places since the start, including moves.
  std::uint64_t most_worn() const { return most_worn_; }
  std::uint64_t wear() const { return wear_; }
  std::uint64_t places() const { return gaps_.size() * gaps_.front().places(); }

  bool has_data() const { return data_ != nullptr; }
  // Data mode only.
  LineBytes read(std::int64_t sector) const { return data_->read(address_of(sector)); }
  void write(std::int64_t sector, const LineBytes& bytes) {
    data_->write(address_of(sector), {bytes});
  }
  void zero(std::int64_t sector) { data_->zero(address_of(sector)); }

  void serialize(Archive& archive);

 private:
  friend struct MediaFaults;  // lets tests inject faults

  Address address_of(std::int64_t sector) const;
  void wear_out(std::uint64_t place);

  std::uint64_t banks_;
  std::uint64_t run_;  // lines of one bank in succession
  std::int64_t sectors_;
  std::uint64_t psi_;
  bool randomised_;
  Permutation layout_;  // permutation of a region's lines
  std::vector<StartGap> gaps_;
  WearCounts worn_;
  std::uint64_t most_worn_ = 0;
  std::uint64_t wear_ = 0;
  std::unique_ptr<LineStore> data_;  // by place
};

}  // namespace hmsim
