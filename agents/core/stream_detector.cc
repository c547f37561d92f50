// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/stream_detector.h"

#include <algorithm>

#include "core/types.h"

namespace hmsim {

namespace {

constexpr auto kLastLine = static_cast<std::int64_t>(kLinesPerPage) - 1;

}  // namespace

StreamDetector::StreamDetector(const PrefetchParameters& parameters)
    : degree_(parameters.degree),
      distance_(parameters.distance),
      training_(parameters.training),
      trackers_(static_cast<std::size_t>(parameters.streams)) {}

StreamDetector::Tracker& StreamDetector::tracker_of(std::uint64_t page) {
  ++misses_;
  Tracker* oldest = trackers_.data();
  for (Tracker& tracker : trackers_) {
    if (tracker.used > 0 && tracker.page == page) {
      tracker.used = misses_;
      return tracker;
    }
    oldest = tracker.used < oldest->used ? &tracker : oldest;
  }
  *oldest = Tracker();
  oldest->page = page;
  oldest->used = misses_;
  return *oldest;
}

bool StreamDetector::continues(Tracker& tracker, std::int64_t line) const {
  const std::int64_t gap = line - tracker.line;
  const bool begins = tracker.run == 0;
  if (!begins && gap == 0) {
    return false;
  }
  const bool next = gap == 1 || gap == -1;
  const bool follows = !begins && next && (tracker.run == 1 || gap == tracker.step);
  const bool was_asked = tracker.run == training_ && gap * tracker.step > 0 &&
                         (tracker.asked - line) * tracker.step >= 0;
  if (follows || was_asked) {
    tracker.step = follows ? gap : tracker.step;
    tracker.run = std::min(tracker.run + 1, training_);
  } else {
    tracker.step = !begins && next ? gap : 0;
    tracker.run = !begins && next ? 2 : 1;
  }
  tracker.line = line;
  if (!was_asked) {
    tracker.asked = line;
  }
  return tracker.run == training_;
}

std::int64_t StreamDetector::last_wanted(const Tracker& stream) const {
  return std::clamp(stream.line + stream.step * distance_, std::int64_t{0}, kLastLine);
}

void StreamDetector::Tracker::serialize(Archive& archive) {
  archive(page, used, line, step, run, asked);
  // Requested lines are in the page.
  archive.check_index(asked, kLinesPerPage, "stream beyond its page");
  archive.check(step >= -1 && step <= 1, "stream with missing lines");
}

void StreamDetector::serialize(Archive& archive) {
  archive.fixed(trackers_);
  archive(misses_);
}

}  // namespace hmsim
