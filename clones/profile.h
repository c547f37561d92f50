// SPDX-License-Identifier: BSD-3-Clause
// Profile of a workload (docs/workloads.md) in numbers, from which a clone is made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hmsim {

inline constexpr std::size_t kSweeps = 8;
inline constexpr std::uint64_t kLongSweep = 4;
inline constexpr std::uint64_t kClonePageLines = 64;

// A case of numbers from `low` to `high` with a given mean.
struct CloneBin {
  double share = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double mean = 0;
};

// Visits of one length class, in accesses.
struct CloneVisits {
  CloneBin length;
  double whole = 0;  // share without skips (from line to line)
  double first = 0;  // share that starts in the page's first line
  double last = 0;   // share that ends in the page's last line
};

// Runs of consecutive lines in visits with skips, for one length class.
struct ClonePieces {
  std::int64_t low = 0;         // lower limit of the class
  std::vector<CloneBin> edges;  // first and last runs
  std::vector<CloneBin> inner;  // runs in between
};

// Kinds of visits: started by a jump; following the previous visit; following as the kLongSweep-th
// in a row or later.
inline constexpr std::size_t kVisitKinds = 3;

// A visit of one access; of several without skips; of several with skips.
enum class CloneVisitForm : std::uint8_t { single, whole, broken };
inline constexpr std::size_t kVisitForms = 3;

// Phases of similar pace.
struct ClonePace {
  std::vector<CloneBin> inside;                      // gaps before accesses within a visit
  std::vector<CloneBin> between;                     // gaps before a visit
  std::array<std::vector<double>, kVisitKinds> mix;  // shares of visits by kind and length class
};

// Profile of one stream: one record kind in one memory.
struct CloneStream {
  int kind = 0;  // record kind
  bool nvdimm = false;
  bool attached = false;  // timed by fills: gaps count fills, not instructions
  std::array<std::vector<CloneVisits>, kVisitKinds> visits;  // by kind and length class
  // Shares of visits ending in a page's last line that are followed, by the number of consecutive
  // visits before: 0, 1, 2-3, 4-7, ...; kSweeps - 1 includes all longer ones. Two columns for each
  // CloneVisitForm: new pages, then others.
  std::array<std::array<double, 2 * kVisitForms>, kSweeps> follow{};
  std::vector<CloneBin> reuse;  // visits since the page's last one; low 0: never visited
  std::vector<CloneBin> skips;  // within a visit: distance of a skip, in lines
  std::vector<ClonePieces> pieces;
  std::vector<ClonePace> paces;
  std::vector<std::size_t> pace;      // by phase
  std::vector<std::uint64_t> phases;  // accesses in each phase
  std::uint64_t first_page = 0;
  std::uint64_t pages = 0;  // limit on new pages
};

// Profile of a workload, and the parameters of its clone.
struct CloneProfile {
  std::int64_t instructions = 0;
  double speed = 1;  // divides gaps in instructions
  std::uint64_t seed = 1;
  std::vector<CloneStream> streams;
};

}  // namespace hmsim
