// SPDX-License-Identifier: BSD-3-Clause
// Which requests of a block trace wait for which, as far as their times tell.
//
// A trace tells when a request came and when it was done, but not why it came. What is inferred:
//
//   - Requests of one instant are one burst: each follows the one before it.
//   - A program with a fixed number of threads that wait for their I/O sends a request because
//     another is done, and each completion has one successor. With others under way, a request
//     waits for the oldest completion that has none yet: which of the threads that think sends next
//     cannot be told, but their number can. What passes in between is think time.
//   - With nothing under way, everything that was done is waited for: a join.
//   - Without a completion that has no successor, a request follows the one before it, at the
//     trace's distance.
//   - Requests that come from outside do not wait. They come no less often while many are under way
//     than while few are; the threads of a program do, for those that wait send nothing. So a trace
//     whose rate of bursts does not fall (by a fifth or more) from the half of the time with fewer
//     under way to the other half is replayed at its own times.
//
// To learn dependences from times is the idea of //TRACE (Mesnier et al., FAST 2007) and ARTC
// (Weiss et al., SOSP 2013); these rules are hmsim's own. docs/block-drivers.md states how accurate
// they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

#include "core/archive.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Why a request comes. Requests have numbers, from 0 on in order of arrival.
struct RequestCause {
  std::vector<std::uint64_t> parents;  // the latest first
  std::uint64_t think_ns = 0;  // behind the last of them; without any: behind the request before it
};

class InferredOrder {
 public:
  static constexpr std::size_t kMostUnderWay = 1'024;  // requests, at once
  static constexpr std::size_t kMostParents = 32;      // of a join: the latest

  InferredOrder();

  // The cause of the next request. One without a completion is nobody's parent, and one that comes
  // before the request in front of it comes with it. Throws InputError, without naming a file, when
  // more than kMostUnderWay are under way.
  RequestCause next(const BlockRequest& request);
  // No request to come has a parent before this one.
  std::uint64_t oldest() const;
  std::uint64_t count() const { return number_; }  // of requests so far
  // Whether requests come from outside, as it looks by now.
  bool open() const { return open_; }

  void serialize(Archive& archive);

 private:
  struct Past {
    std::uint64_t completion_ns = 0;
    std::uint64_t number = 0;

    bool operator<(const Past& other) const {
      return std::tie(completion_ns, number) < std::tie(other.completion_ns, other.number);
    }
    bool operator>(const Past& other) const { return other < *this; }
    void serialize(Archive& archive) { archive(completion_ns, number); }
  };

  void pass_time(std::uint64_t until_ns);
  RequestCause cause_at(std::uint64_t arrival_ns);
  void begin_burst();
  bool looks_open() const;

  std::uint64_t number_ = 0;     // of the next request
  std::uint64_t now_ns_ = 0;     // the last arrival
  std::vector<Past> under_way_;  // a heap, the first to be done at its front
  std::deque<Past> unclaimed_;   // completions without a successor, the oldest first
  // By how many are under way: for how long, and how many bursts came.
  std::vector<std::uint64_t> time_ns_;
  std::vector<std::uint64_t> bursts_;
  std::uint64_t all_bursts_ = 0;
  bool open_ = false;
};

}  // namespace hmsim
