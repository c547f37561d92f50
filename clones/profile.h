// SPDX-License-Identifier: BSD-3-Clause
// A profile (docs/workloads.md) in numbers: a workload clone is made of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hmsim {

inline constexpr std::size_t kSweeps = 8;
inline constexpr std::uint64_t kLongSweep = 4;
inline constexpr std::uint64_t kClonePageLines = 64;

// Cases of numbers from `low` to `high`, of a mean.
struct CloneBin {
  double share = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double mean = 0;
};

// Visits of one class of lengths, in accesses.
struct CloneVisits {
  CloneBin length;
  double whole = 0;  // share of those that go from line to line
  double first = 0;  // share of those that begin in the page's first line ...
  double last = 0;   // ... and that end in its last
};

// Runs of consecutive lines in visits of a class of lengths that do not go from line to line.
struct ClonePieces {
  std::int64_t low = 0;         // of the class
  std::vector<CloneBin> edges;  // first and last ones
  std::vector<CloneBin> inner;  // those in between
};

// Kinds of visits: those that a jump began, those that followed the visit before, and those of them
// that were the kLongSweep-th in a row, or later.
inline constexpr std::size_t kVisitKinds = 3;

// A visit of one access; of more, from line to line; of more, with steps that are not.
enum class CloneVisitForm : std::uint8_t { single, whole, broken };
inline constexpr std::size_t kVisitForms = 3;

// Phases of about the same pace.
struct ClonePace {
  std::vector<CloneBin> inside;                      // gaps before accesses within a visit
  std::vector<CloneBin> between;                     // gaps before a visit
  std::array<std::vector<double>, kVisitKinds> mix;  // shares of visits of each kind, by class
};

struct CloneStream {
  int kind = 0;  // of record
  bool nvdimm = false;
  bool attached = false;  // to fills: gaps are numbers of fills, not of instructions
  std::array<std::vector<CloneVisits>, kVisitKinds> visits;  // of each kind, by class
  // Shares of visits ending in a page's last line that are followed, by the visits in a row before:
  // 0, 1, 2-3, 4-7 ... kSweeps - 1 stands for all more. Two of each CloneVisitForm: of new pages,
  // of others.
  std::array<std::array<double, 2 * kVisitForms>, kSweeps> follow{};
  std::vector<CloneBin> reuse;  // of jumps and follows: visits since the page's last; low 0: none
  std::vector<CloneBin> skips;  // within a visit: how many lines a step that is not next goes
  std::vector<ClonePieces> pieces;
  std::vector<ClonePace> paces;
  std::vector<std::size_t> pace;      // of each phase
  std::vector<std::uint64_t> phases;  // accesses in each phase
  std::uint64_t first_page = 0;
  std::uint64_t pages = 0;  // jumps go to no more new ones
};

struct CloneProfile {
  std::int64_t instructions = 0;
  double speed = 1;  // gaps in instructions are divided by it
  std::uint64_t seed = 1;
  std::vector<CloneStream> streams;
};

}  // namespace hmsim
