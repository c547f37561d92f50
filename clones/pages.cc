// SPDX-License-Identifier: BSD-3-Clause
#include "clones/pages.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hmsim {

namespace {

std::size_t history_size(const std::vector<CloneBin>& reuse) {
  std::int64_t longest = 2;
  for (const CloneBin& bin : reuse) {
    longest = std::max(longest, bin.high);
  }
  std::size_t size = 1;
  while (size <= static_cast<std::size_t>(longest)) {
    size *= 2;
  }
  return size;
}

}  // namespace

ClonePages::ClonePages(const CloneStream& stream)
    : stream_(stream),
      reuse_(shares_of(stream.reuse)),
      last_visit_(1, 0),
      history_(history_size(stream.reuse), 0),
      last_visits_(history_.size()),
      closed_(stream.reuse.size(), false) {
  for (const ClonePace& pace : stream.paces) {
    paces_.emplace_back();
    for (std::size_t kind = 0; kind < kVisitKinds; ++kind) {
      const std::vector<double>& mix = pace.mix[kind];
      paces_.back().shares[kind] = std::accumulate(mix.begin(), mix.end(), 0.0);
    }
  }
}

int ClonePages::deficit(std::size_t kind, std::size_t number) const {
  const Pace& pace = paces_[number];
  const auto visits = static_cast<double>(pace.visits);
  const double wanted = pace.shares[kind] * visits;
  const double slack = 16 + std::min(visits / 1024, wanted / 64);
  const double difference = wanted - static_cast<double>(pace.counts[kind]);
  return difference > slack ? 1 : difference < -slack ? -1 : 0;
}

// Returns whether the next visit follows this one. Drawn at random, unless there were too many or
// too few such visits so far.
bool ClonePages::follows(CloneVisitForm form, bool at_end, std::size_t pace, Random& random) {
  if (!at_end) {
    return false;
  }
  if (deficit(2, pace) > 0 || deficit(0, pace) < 0) {
    return true;
  }
  if (in_row_ + 1 >= kLongSweep ? deficit(2, pace) < 0 : deficit(0, pace) > 0) {
    return false;
  }
  std::size_t sweep = 0;
  while (sweep + 1 < kSweeps && (std::uint64_t{1} << sweep) <= in_row_) {
    ++sweep;
  }
  const std::size_t column = 2 * static_cast<std::size_t>(form) + (new_ ? 0 : 1);
  return random.chance(chance_of(stream_.follow[sweep][column]));
}

void ClonePages::advance(CloneVisitForm form, bool at_end, std::size_t pace, Random& random) {
  const bool followed = follows(form, at_end, pace, random);
  enter(followed ? page_ + 1 : find(at_end, random));
  in_row_ = followed ? in_row_ + 1 : 0;
  ++paces_[pace].counts[kind()];
  ++paces_[pace].visits;
}

// Returns the page that a jump visits.
std::uint64_t ClonePages::find(bool at_end, Random& random) {
  const std::uint64_t most = std::min<std::uint64_t>(visits_, history_.size() - 1);
  const std::uint64_t now = visits_ + 1;
  std::uint64_t page = 0;
  // Draws a page that was last visited between `low` and `high` visits ago.
  const auto among = [&](std::uint64_t low, std::uint64_t high) {
    high = std::min(high, most);
    const std::uint64_t count = low > high ? 0 : last_visits_.count(now - high, now - low);
    if (count > 0) {
      const std::uint64_t visit = last_visits_.select(now - high, random.below(count));
      page = history_[visit & (history_.size() - 1)];
    }
    return count > 0;
  };
  std::fill(closed_.begin(), closed_.end(), false);
  std::size_t number = 0;
  while ((number = reuse_.draw(random, [&](std::size_t i) { return !closed_[i]; })) <
         closed_.size()) {
    const CloneBin& bin = stream_.reuse[number];
    if (bin.low == 0 && new_pages_ < stream_.pages) {
      break;
    }
    if (bin.low > 0 &&
        among(static_cast<std::uint64_t>(bin.low), static_cast<std::uint64_t>(bin.high))) {
      return page;
    }
    closed_[number] = true;
  }
  // Choose a new page, but not the adjacent one, which would count as a follow. The adjacent page
  // is kept for later.
  const std::uint64_t beside = page_ + 1;
  if (at_end && next_page_ == beside) {
    left_out_ = beside;
    return beside + 1;
  }
  if (left_out_ != kNone && !(at_end && left_out_ == beside)) {
    return std::exchange(left_out_, kNone);
  }
  return next_page_;
}

// Records a visit in its reuse case. Pages are numbered from the stream's first.
void ClonePages::enter(std::uint64_t page) {
  page %= kMostPages;
  if (page >= last_visit_.size()) {
    last_visit_.resize(page + 1, 0);
  }
  ++visits_;
  const std::uint64_t mask = history_.size() - 1;
  if (visits_ > history_.size()) {
    const std::uint64_t forgotten = visits_ - history_.size();
    if (last_visit_[history_[forgotten & mask]] == forgotten) {
      last_visits_.clear(forgotten);
      last_visit_[history_[forgotten & mask]] = 0;
    }
  }
  std::uint64_t& last = last_visit_[page];
  const std::uint64_t distance = last == 0 ? 0 : visits_ - last;
  if (last != 0) {
    last_visits_.clear(last);
  }
  for (std::size_t i = 0; i < stream_.reuse.size(); ++i) {
    const CloneBin& bin = stream_.reuse[i];
    if (static_cast<std::uint64_t>(bin.low) <= distance &&
        distance <= static_cast<std::uint64_t>(bin.high)) {
      reuse_.count(i);
      break;
    }
  }
  new_ = distance == 0;
  new_pages_ += new_ ? 1 : 0;
  last = visits_;
  last_visits_.set(visits_);
  history_[visits_ & mask] = static_cast<std::uint32_t>(page);
  next_page_ = std::max(next_page_, page + 1) % kMostPages;
  page_ = page;
}

}  // namespace hmsim
