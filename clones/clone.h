// SPDX-License-Identifier: BSD-3-Clause
// A workload clone: generated records of hmsim's trace format whose figures are those of a
// profile (docs/workloads.md).
//
// A profile tells of each stream (fills, write-backs or non-temporal writes of one memory) how it
// visits pages. A visit is what a stream does in a page before it goes to another. It follows the
// visit before it when it begins on the very next line, else it is a jump: to a page never visited,
// or to one visited so many visits ago. Choices are drawn so that shares so far stay close to those
// wanted. The numbers of accesses in each phase, an interval of the run, hold exactly; gaps between
// visits are stretched for that. Write-backs come so many fills after one another.
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

// One stream's accesses, one after the other.
class CloneWalk {
 public:
  CloneWalk(const CloneStream& stream, const std::vector<double>& ends, const CloneProfile& profile,
            std::uint64_t number);

  bool done() const { return done_; }
  double time() const { return clock_.time(); }  // of the access to come
  std::uint64_t line() const {
    return (stream_.first_page + pages_.page()) * kClonePageLines + lines_.line();
  }
  void advance();  // to the access after it

 private:
  const CloneStream& stream_;
  Random random_;
  CloneClock clock_;
  ClonePages pages_;
  CloneLines lines_;
  bool done_ = false;
};

class Clone {
 public:
  explicit Clone(CloneProfile profile);
  Clone(const Clone&) = delete;  // walks refer to the profile
  Clone& operator=(const Clone&) = delete;

  // About `count` records of 8 bytes, little-endian (docs/trace-format.md); none at the end.
  std::string records(std::size_t count);

 private:
  void emit(std::size_t walk, std::int64_t time, std::string& bytes);
  void emit_attached(double fills, std::string& bytes);  // up to that many
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
