// SPDX-License-Identifier: BSD-3-Clause
// Streams among the misses of a core: which lines it will want next.
//
// A tracker follows the misses of one page of 4 KB. A run of them, each to the line next to the one
// before and all in one direction, is a stream once it has `training` lines. From then on each of
// its misses asks for the `degree` lines at most that follow those asked for before, up to
// `distance` lines beyond the miss, and never beyond the page. A miss of a stream may leave out
// lines, as long as they were asked for. Any other miss of the page begins a new run; one of a page
// that has no tracker takes the tracker that was used longest ago.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/node/node_parameters.h"
#include "core/archive.h"

namespace hmsim {

class StreamDetector {
 public:
  explicit StreamDetector(const PrefetchParameters& parameters);

  // A miss of a page, by the number of its line there. ask(line) for each line that is wanted, in
  // the stream's order; false: it cannot be had now, and is asked for again by the next miss.
  template <class Ask>
  void miss(std::uint64_t page, std::int64_t line, const Ask& ask) {
    Tracker& stream = tracker_of(page);
    if (!goes_on(stream, line)) {
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
    std::uint64_t used = 0;  // the number of its latest miss, over all pages; 0: it has no page
    std::int64_t line = 0;   // of that miss
    std::int64_t step = 0;   // the run's direction, 1 or -1; 0: it has one line
    std::int64_t run = 0;    // lines, up to `training`
    std::int64_t asked = 0;  // the line asked for last, or the latest miss
    void serialize(Archive& archive);
  };

  Tracker& tracker_of(std::uint64_t page);
  // Whether the miss belongs to a stream.
  bool goes_on(Tracker& tracker, std::int64_t line) const;
  std::int64_t last_wanted(const Tracker& stream) const;

  std::int64_t degree_;
  std::int64_t distance_;
  std::int64_t training_;
  std::vector<Tracker> trackers_;
  std::uint64_t misses_ = 0;
};

}  // namespace hmsim
