// SPDX-License-Identifier: BSD-3-Clause
// Independent checker of the byte-addressable media banks in one NVDIMM. It sees their operations
// and keeps its own account of the location of lines.
//
//   media bank      a line belongs to the bank that its address selects, and stays there
//   media busy      a bank has one operation at a time
//   media time      a read, a write, a move and an update (both a read and a write) take their
//                   specified times
//   media place     a line is where it was last written or moved; no other line is there, nor the
//                   gap
//   gap move        into the gap, from the place before it (before the first: the last)
//   gap interval    after psi writes to a region, before any other operation in its bank
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "core/archive.h"
#include "core/key_map.h"
#include "nvdimm/media/media_observer.h"
#include "nvdimm/parameters.h"

namespace hmsim {

class MediaChecker final : public MediaObserver {
 public:
  // `channel` and `period` (of the memory channel) are for reports. `violations` must outlive the
  // checker.
  MediaChecker(const NvdimmParameters& nvdimm, int channel, Tick period, ViolationLog& violations);

  void on_media(const MediaRecord& record) override;
  void on_gap(std::uint64_t region, std::uint64_t place, std::uint64_t writes) override;

  std::int64_t records() const { return records_; }

  void serialize(Archive& archive);

 private:
  struct Region {
    std::uint64_t gap = 0;     // the empty place
    std::uint64_t writes = 0;  // since the last move
    void serialize(Archive& archive) { archive(gap, writes); }
  };
  struct Bank {
    Tick until{0};
    bool due = false;  // a move must come next
    void serialize(Archive& archive) { archive(until, due); }
  };
  struct Line {
    std::uint64_t line = 0;
    std::uint64_t place = 0;
    void serialize(Archive& archive) { archive(line, place); }
  };

  void check_place(const MediaRecord& record);
  void check_move(const MediaRecord& record);
  void violated(const char* rule, const MediaRecord& record, std::uint64_t needed,
                std::uint64_t got);

  const MediaParameters media_;
  const std::uint64_t places_;  // per region
  const int channel_;
  const Tick period_;
  ViolationLog& violations_;
  std::vector<Region> regions_;
  std::vector<Bank> banks_;
  std::vector<Line> lines_;  // lines seen so far
  KeyMap by_line_;           // line -> index in lines_
  KeyMap by_place_;
  std::int64_t records_ = 0;
};

}  // namespace hmsim
