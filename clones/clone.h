// SPDX-License-Identifier: BSD-3-Clause
// Workload clone: generated records of hmsim's trace format whose statistics match a profile
// (docs/workloads.md).
//
// A profile describes for each stream (fills, write-backs or non-temporal writes of one memory) how
// it visits pages. A visit is a series of accesses to one page. It *follows* the previous visit if
// it starts on the very next line. Otherwise it is a *jump*: to a new page, or to a page last
// visited a given number of visits ago. Draws keep the shares so far close to the wanted ones. The
// number of accesses in each phase (an interval of the run) is exact; gaps between visits are
// stretched to achieve it. Write-backs are spaced by numbers of fills.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clones/clock.h"
#include "clones/lines.h"
#include "clones/pages.h"
#include "clones/profile.h"
#include "core/random.h"

namespace hmsim {

// The accesses of one stream, in order.
class CloneWalk {
 public:
  CloneWalk(const CloneStream& stream, const std::vector<double>& ends, const CloneProfile& profile,
            std::uint64_t number);

  bool done() const { return done_; }
  double time() const { return clock_.time(); }  // of the next access
  std::uint64_t line() const {
    return (stream_.first_page + pages_.page()) * kClonePageLines + lines_.line();
  }
  void advance();  // to the following access

 private:
  const CloneStream& stream_;
  Random random_;
  CloneClock clock_;
  ClonePages pages_;
  CloneLines lines_;
  bool done_ = false;
};

// Generator of a clone's records, from all streams of a profile.
class Clone {
 public:
  explicit Clone(CloneProfile profile);
  Clone(const Clone&) = delete;  // walks refer to the profile
  Clone& operator=(const Clone&) = delete;

  // Returns about `count` records of 8 bytes, little-endian (docs/trace-format.md); "" at the end.
  std::string records(std::size_t count);

 private:
  void emit(std::size_t walk, std::int64_t time, std::string& bytes);
  void emit_attached(double fills, std::string& bytes);  // up to this number of fills
  void word(std::uint64_t value, std::string& bytes);

  CloneProfile profile_;
  std::vector<double> phase_ends_;  // in instructions
  std::vector<double> fill_ends_;   // in fills
  std::vector<CloneWalk> walks_;
  std::vector<std::size_t> clocked_;
  std::vector<std::size_t> attached_;
  std::uint64_t fills_ = 0;  // so far
  std::int64_t time_ = 0;    // of the last record
  bool ended_ = false;
};

}  // namespace hmsim
