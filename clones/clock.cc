// SPDX-License-Identifier: BSD-3-Clause
#include "clones/clock.h"

#include <algorithm>

namespace hmsim {

namespace {

// Returns the bins below `most`. Gaps as long as a phase are left out, because the phases represent
// them.
std::vector<CloneBin> shorter_than(double most, const std::vector<CloneBin>& bins) {
  std::vector<CloneBin> shorter;
  for (const CloneBin& bin : bins) {
    if (static_cast<double>(bin.low) < most || bin.low <= 1) {
      shorter.push_back(bin);
    }
  }
  return shorter;
}

double mean_visit(const CloneStream& stream, const ClonePace& pace) {
  double visits = 0;
  double accesses = 0;
  for (std::size_t kind = 0; kind < kVisitKinds; ++kind) {
    for (std::size_t i = 0; i < pace.mix[kind].size(); ++i) {
      visits += pace.mix[kind][i];
      accesses += pace.mix[kind][i] * stream.visits[kind][i].length.mean;
    }
  }
  return visits > 0 ? std::max(1.0, accesses / visits) : 1;
}

}  // namespace

CloneClock::CloneClock(const CloneStream& stream, const std::vector<double>& ends, double speed)
    : stream_(stream),
      ends_(ends),
      speed_(speed),
      left_(static_cast<std::int64_t>(stream.phases[0])) {
  const double phase = ends.back() / static_cast<double>(ends.size());
  for (const ClonePace& gaps : stream.paces) {
    Pace pace;
    pace.inside = BinDraw(shorter_than(phase / 64, gaps.inside));
    pace.between = BinDraw(shorter_than(phase / 8, gaps.between));
    pace.visit = mean_visit(stream, gaps);
    pace.longest = (pace.between.mean() + (pace.visit - 1) * pace.inside.mean()) / pace.visit;
    pace.long_inside = pace.inside.mean_from(pace.longest);
    pace.long_between = pace.between.mean_from(pace.longest);
    paces_.push_back(std::move(pace));
  }
  speed_ *= std::max(1.0, expected() / (ends.back() * speed));
}

double CloneClock::expected() const {
  double sum = 0;
  for (std::size_t phase = 0; phase < stream_.phases.size(); ++phase) {
    sum += static_cast<double>(stream_.phases[phase]) * paces_[stream_.pace[phase]].longest;
  }
  return sum;
}

// Advances to the phase of the next access. Returns false at the end.
bool CloneClock::next_phase() {
  const std::size_t last = stream_.phases.size() - 1;
  while (left_ <= 0 && phase_ < last) {
    left_ += static_cast<std::int64_t>(stream_.phases[++phase_]);
    waited_ = waited_ || time_ < begin(phase_);
    time_ = std::max(time_, begin(phase_));
  }
  while (left_ > 0 && phase_ < last && time_ >= ends_[phase_]) {
    left_ += static_cast<std::int64_t>(stream_.phases[++phase_]);
  }
  return left_ > 0;
}

bool CloneClock::step(bool inside, Random& random) {
  if (!next_phase()) {
    return false;
  }
  Pace& pace = paces_[stream_.pace[phase_]];
  const double visits = std::max(1.0, static_cast<double>(left_) / pace.visit);
  const double steps = std::max(0.0, static_cast<double>(left_) - visits);
  // With average gaps, the remaining accesses should end about with the phase.
  const double needs = steps * pace.inside.mean() + visits * pace.between.mean();
  const double room = (ends_[phase_] - time_) * speed_;
  constexpr double kLate = 0.25;  // of a phase
  const double deficit = needs - room - kLate * (ends_[phase_] - begin(phase_)) * speed_;
  BinDraw& gaps = inside ? pace.inside : pace.between;
  auto gap = static_cast<double>(gaps.draw(random));
  if (deficit > 0 && gap > pace.longest) {  // shorten long gaps
    const double all = steps * pace.long_inside + visits * pace.long_between;
    gap = std::max(pace.longest, gap * (1 - deficit / std::max(all, deficit)));
  }
  // Turn the remaining time into pauses: before a phase starts, and in one of kVisits visits.
  constexpr std::uint64_t kVisits = 64;
  constexpr double kNoise = 1.25;  // safety factor on the time still needed
  const double rest = room - needs;
  if (!inside && rest > 0) {
    if (waited_) {
      gap += std::max(0.0, room - kNoise * needs) * fraction(random);
    } else if (random.below(kVisits) == 0) {
      gap += rest * std::min(1.0, static_cast<double>(kVisits) / visits);
    }
  }
  waited_ = waited_ && inside;
  time_ = std::min(time_ + gap / speed_, ends_.back());
  --left_;
  return true;
}

}  // namespace hmsim
