// SPDX-License-Identifier: BSD-3-Clause
// Detector of streams among a core's misses, which predicts the next lines.
//
// A tracker follows the misses of one 4 KB page. A run of misses to adjacent lines in one direction
// is a stream once it has `training` lines. From then on, each of its misses requests at most
// `degree` lines after those already requested, up to `distance` lines beyond the miss and within
// the page. A miss of a stream may skip lines that were requested. Any other miss of the page
// begins a new run. A page without a tracker takes the least recently used one.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/node/node_parameters.h"
#include "core/archive.h"

namespace hmsim {

class StreamDetector {
 public:
  explicit StreamDetector(const PrefetchParameters& parameters);

  // Records a miss to line number `line` of a page. Calls ask(line) for each line to prefetch, in
  // stream order, until it returns false; the next miss then requests that line again.
  template <class Ask>
  void miss(std::uint64_t page, std::int64_t line, const Ask& ask) {
    Tracker& stream = tracker_of(page);
    if (!continues(stream, line)) {
      return;
    }
    const std::int64_t last = last_wanted(stream);
    for (std::int64_t lines = 0; lines < degree_ && (last - stream.asked) * stream.step > 0;
         ++lines) {
      const std::int64_t next = stream.asked + stream.step;
      if (!ask(next)) {
        return;
      }
      stream.asked = next;
    }
  }

  void serialize(Archive& archive);

 private:
  struct Tracker {
    std::uint64_t page = 0;
    std::uint64_t used = 0;  // number of its latest miss over all pages; 0: unused
    std::int64_t line = 0;   // of that miss
    std::int64_t step = 0;   // direction of the run, 1 or -1; 0: one line so far
    std::int64_t run = 0;    // lines, up to `training`
    std::int64_t asked = 0;  // the last requested line, or the latest miss
    void serialize(Archive& archive);
  };

  Tracker& tracker_of(std::uint64_t page);
  // Updates the tracker of a page with a miss to the line. Returns whether the miss belongs to a
  // stream.
  bool continues(Tracker& tracker, std::int64_t line) const;
  std::int64_t last_wanted(const Tracker& stream) const;

  std::int64_t degree_;
  std::int64_t distance_;
  std::int64_t training_;
  std::vector<Tracker> trackers_;
  std::uint64_t misses_ = 0;
};

}  // namespace hmsim
