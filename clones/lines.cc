// SPDX-License-Identifier: BSD-3-Clause
#include "clones/lines.h"

#include <algorithm>
#include <numeric>

namespace hmsim {

namespace {

constexpr auto kLines = static_cast<std::int64_t>(kClonePageLines);

}  // namespace

CloneLines::CloneLines(const CloneStream& stream) : stream_(stream), skips_(stream.skips) {
  for (const ClonePace& pace : stream.paces) {
    quotas_.emplace_back();
    for (std::size_t kind = 0; kind < kVisitKinds; ++kind) {
      const std::vector<double>& mix = pace.mix[kind];
      const double sum = std::accumulate(mix.begin(), mix.end(), 0.0);
      std::vector<double> shares;
      for (std::size_t i = 0; i < mix.size(); ++i) {
        shares.push_back(sum > 0 ? mix[i] / sum : stream.visits[kind][i].length.share);
      }
      quotas_.back()[kind] = Quota(shares);
    }
  }
  for (const ClonePieces& pieces : stream.pieces) {
    pieces_.push_back({pieces.low, BinDraw(pieces.edges), BinDraw(pieces.inner)});
  }
}

void CloneLines::begin(std::size_t kind, std::size_t pace, bool to_end, Random& random) {
  const bool followed = kind > 0;
  while (kind > 0 && stream_.visits[kind].empty()) {
    --kind;
  }
  const std::vector<CloneVisits>& classes = stream_.visits[kind];
  Quota& quota = quotas_[pace][kind];
  std::size_t number = quota.draw(random, [](std::size_t) { return true; });
  if (to_end) {
    const auto less = [](const CloneVisits& a, const CloneVisits& b) { return a.last < b.last; };
    number = static_cast<std::size_t>(std::max_element(classes.begin(), classes.end(), less) -
                                      classes.begin());
  }
  quota.count(number);
  const CloneVisits& visit = classes[number];
  const std::int64_t accesses = std::max<std::int64_t>(1, BinDraw::within(visit.length, random));
  ends_ = random.chance(chance_of(visit.last));
  pieces_of_ = nullptr;
  std::int64_t piece = accesses;
  form_ = accesses == 1 ? CloneVisitForm::single : CloneVisitForm::whole;
  if (accesses > kLines || (accesses > 1 && !random.chance(chance_of(visit.whole)))) {
    form_ = CloneVisitForm::broken;
    for (Pieces& pieces : pieces_) {
      pieces_of_ = pieces.low <= accesses ? &pieces : pieces_of_;
    }
    piece = begin_pieces(accesses, random);
  }
  line_ = followed ? 0 : first_line(piece, visit, random);
  left_ = accesses - 1;
  piece_ = piece - 1;
}

// Starts the first run of a visit with skips. Also chooses the length of the last run.
std::int64_t CloneLines::begin_pieces(std::int64_t accesses, Random& random) {
  last_ = 1;
  if (pieces_of_ == nullptr) {
    return 1;
  }
  BinDraw& edges = pieces_of_->edges;
  const std::int64_t first = edges.draw_up_to(std::min(accesses - 1, kLines), random);
  const std::int64_t rest = accesses - first;
  if (pieces_of_->inner.empty() && rest <= kLines) {
    edges.count(last_ = rest);
  } else {
    last_ = edges.draw_up_to(std::min(rest, kLines), random);
  }
  return first;
}

std::int64_t CloneLines::next_piece(Random& random) {
  const std::int64_t most = std::min(left_ + 1 - last_, kLines);
  return pieces_of_ != nullptr ? pieces_of_->inner.draw_up_to(most, random) : 1;
}

// Chooses the first line of a jump: line 0 with the profile's frequency, otherwise any other line.
std::uint64_t CloneLines::first_line(std::int64_t piece, const CloneVisits& visit, Random& random) {
  const std::int64_t starts = kLines - piece;  // 0 apart
  if (starts == 0 || random.chance(chance_of(visit.first))) {
    return 0;
  }
  if (pieces_of_ != nullptr) {
    return 1 + random.below(static_cast<std::uint64_t>(starts));
  }
  const double others = 1 - visit.first;
  const bool ends = others > 0 && random.chance(chance_of(std::min(1.0, visit.last / others)));
  return static_cast<std::uint64_t>(
      ends || starts == 1
          ? starts
          : 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(starts - 1))));
}

void CloneLines::step(Random& random) {
  --left_;
  if (piece_ > 0 && line_ + 1 < kClonePageLines) {
    --piece_;
    ++line_;
    return;
  }
  const bool at_end = left_ < last_;
  const std::int64_t piece = at_end ? left_ + 1 : next_piece(random);
  line_ = at_end && ends_ ? static_cast<std::uint64_t>(kLines - piece) : jump(piece, random);
  piece_ = piece - 1;
}

// Returns the start of a run of `piece` lines that does not continue the previous run.
std::uint64_t CloneLines::jump(std::int64_t piece, Random& random) {
  const std::int64_t last = kLines - piece;
  const auto next = static_cast<std::int64_t>(line_) + 1;
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t to = static_cast<std::int64_t>(line_) + skips_.draw(random);
    if (0 <= to && to <= last && to != next) {
      return static_cast<std::uint64_t>(to);
    }
  }
  const auto to = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last + 1)));
  return static_cast<std::uint64_t>(to == next ? 0 : to);
}

}  // namespace hmsim
