// SPDX-License-Identifier: BSD-3-Clause
// Checks the banks of byte-addressable media in one NVDIMM. The implementation is independent: it
// observes the operations and tracks separately where lines are.
//
//   media bank      a line stays in the bank that its address selects
//   media busy      one operation of a bank at a time
//   media time      reads, writes and moves (a read and a write) take their parameters' times
//   media place     a line is where it was last written or moved to, alone, and never in the gap
//   gap move        into the gap, from the preceding place (cyclically)
//   gap interval    after psi writes to a region, before any other operation of its bank
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
  // `channel`, `period`: the memory channel's, for reports. `violations` must outlive the checker.
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
    bool due = false;  // the next operation must be a move
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
  std::vector<Line> lines_;  // those observed so far
  KeyMap by_line_;           // line -> index in lines_
  KeyMap by_place_;
  std::int64_t records_ = 0;
};

}  // namespace hmsim
