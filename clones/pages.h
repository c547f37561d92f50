// SPDX-License-Identifier: BSD-3-Clause
// Chooses the next page that a stream of a clone visits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clones/draws.h"
#include "clones/last_visits.h"
#include "clones/profile.h"
#include "core/random.h"

namespace hmsim {

class ClonePages {
 public:
  explicit ClonePages(const CloneStream& stream);

  // Starts the next visit, in a phase of a pace. `form` is the form of the previous visit.
  // `at_end`: the previous visit ended in its page's last line.
  void advance(CloneVisitForm form, bool at_end, std::size_t pace, Random& random);
  std::uint64_t page() const { return page_; }  // counted from the stream's first
  std::size_t kind() const { return in_row_ >= kLongSweep ? 2 : in_row_ > 0 ? 1 : 0; }
  // Returns 1 if there were too few visits of a kind so far, -1 if too many, 0 if about as wanted.
  int deficit(std::size_t kind, std::size_t pace) const;

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::uint64_t kMostPages = std::uint64_t{1} << 22;  // page numbers wrap here

  void enter(std::uint64_t page);
  std::uint64_t find(bool at_end, Random& random);
  bool follows(CloneVisitForm form, bool at_end, std::size_t pace, Random& random);

  struct Pace {
    std::array<double, kVisitKinds> shares{};  // wanted shares of visits
    std::array<std::uint64_t, kVisitKinds> counts{};
    std::uint64_t visits = 0;
  };

  const CloneStream& stream_;
  Quota reuse_;
  std::vector<Pace> paces_;
  std::uint64_t page_ = 0;
  bool new_ = true;           // the present page is new
  std::uint64_t in_row_ = 0;  // length of the present series of follows
  std::uint64_t new_pages_ = 0;
  std::uint64_t next_page_ = 0;     // next new page
  std::uint64_t left_out_ = kNone;  // a page before next_page_ that was skipped
  std::uint64_t visits_ = 0;
  std::vector<std::uint64_t> last_visit_;  // by page: number of its last visit, from 1; 0: none
  std::vector<std::uint32_t> history_;     // pages of the last 2^k visits
  LastVisits last_visits_;
  std::vector<bool> closed_;  // scratch
};

}  // namespace hmsim
