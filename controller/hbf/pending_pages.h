// SPDX-License-Identifier: BSD-3-Clause
// The host's view of the pages whose writes it has sent and that are not answered.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/types.h"
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

// Each pending page has a unit until all of its parts that were sent are answered.
class PendingPages {
 public:
  explicit PendingPages(std::int64_t units) : units_(static_cast<std::size_t>(units)) {
    for (std::size_t unit = units_.size(); unit > 0; --unit) {
      free_.push_back(static_cast<std::uint32_t>(unit - 1));
    }
  }

  // Returns whether a page may begin.
  bool has_room() const { return !free_.empty(); }
  // Returns whether parts of the page have been sent and others have not.
  bool begun(std::int64_t page) const { return open_.find(page) != kNoIndex; }
  bool any_begun() const { return !open_.empty(); }
  struct Part {
    std::uint32_t unit;
    bool first;
  };
  // Records that a part is sent. Precondition: has_room() or begun(page).
  Part send(std::int64_t page, LineMask lines) {
    std::uint32_t unit = open_.find(page);
    const bool first = unit == kNoIndex;
    if (first) {
      unit = free_.back();
      free_.pop_back();
      units_[unit] = {page, 0, 0};
      open_.insert(page, unit);
    }
    units_[unit].lines |= lines;
    ++units_[unit].parts;
    if (units_[unit].lines == ~LineMask{0}) {
      open_.erase(page);
    }
    return {unit, first};
  }
  // Records the answer to a part. `late`: no further part of the page belongs to the unit.
  void answered(std::uint32_t unit, bool late) {
    if (late) {
      close(unit);
    }
    if (--units_[unit].parts == 0) {
      close(unit);
      free_.push_back(unit);
    }
  }

  void serialize(Archive& archive) {
    archive.fixed(units_);
    archive(free_);
    archive.check_indices(free_, units_.size(), "invalid pending page");
    if (archive.loading()) {
      restore(archive);
    }
  }

 private:
  struct Unit {
    std::int64_t page = 0;
    LineMask lines = 0;      // sent
    std::int64_t parts = 0;  // sent and not answered
    void serialize(Archive& archive) { archive(page, lines, parts); }
  };

  void close(std::uint32_t unit) {
    if (open_.find(units_[unit].page) == unit) {
      open_.erase(units_[unit].page);
      units_[unit].lines = ~LineMask{0};
    }
  }
  void restore(const Archive& archive) {
    open_.clear();
    for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
      const Unit& own = units_[unit];
      if (own.parts > 0 && own.lines != ~LineMask{0}) {
        archive.check(open_.find(own.page) == kNoIndex, "page that is pending twice");
        open_.insert(own.page, unit);
      }
    }
  }

  std::vector<Unit> units_;
  std::vector<std::uint32_t> free_;
  KeyMap open_;  // page -> its unit, while parts of it may follow
};

}  // namespace hmsim
