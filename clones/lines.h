// SPDX-License-Identifier: BSD-3-Clause
// Chooses the lines that a visit of a clone accesses within its page.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clones/draws.h"
#include "clones/profile.h"
#include "core/random.h"

namespace hmsim {

class CloneLines {
 public:
  explicit CloneLines(const CloneStream& stream);

  // Starts a visit of a kind, in a phase of a pace. `to_end`: prefer a visit that ends in the last
  // line.
  void begin(std::size_t kind, std::size_t pace, bool to_end, Random& random);
  void step(Random& random);                    // to the visit's next line
  std::uint64_t line() const { return line_; }  // within the page
  CloneVisitForm form() const { return form_; }
  std::int64_t left() const { return left_; }  // accesses of this visit after the present one

 private:
  struct Pieces {
    std::int64_t low = 0;
    BinDraw edges;
    BinDraw inner;
  };

  std::uint64_t first_line(std::int64_t piece, const CloneVisits& visit, Random& random);
  std::int64_t begin_pieces(std::int64_t accesses, Random& random);
  std::int64_t next_piece(Random& random);
  std::uint64_t jump(std::int64_t piece, Random& random);

  const CloneStream& stream_;
  std::vector<std::array<Quota, kVisitKinds>> quotas_;  // of length classes, by pace
  BinDraw skips_;
  std::vector<Pieces> pieces_;

  std::uint64_t line_ = 0;
  CloneVisitForm form_ = CloneVisitForm::single;  // of this visit
  std::int64_t left_ = 0;
  std::int64_t piece_ = 0;       // accesses left in this run of lines
  Pieces* pieces_of_ = nullptr;  // of this visit; nullptr: it has no skips
  std::int64_t last_ = 0;        // length of the last run
  bool ends_ = false;            // this visit ends in the last line
};

}  // namespace hmsim
