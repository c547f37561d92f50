// SPDX-License-Identifier: BSD-3-Clause
// Infers from the times of a block trace which requests depend on which.
//
// A trace records when each request arrived and completed, but not why it was issued. The rules:
//
// - Requests with the same arrival time form a burst. Each follows the one before it.
// - A program with a fixed number of threads that wait for their I/O issues a request because
//   another completed, and each completion has one successor. While other requests are outstanding,
//   a request depends on the oldest completion that has no successor yet. The trace does not show
//   which thinking thread issues next, but it does show their number. The time in between is think
//   time.
// - If no request is outstanding, a request depends on all completions without a successor: a join.
// - If every completion has a successor, a request follows the one before it, at the trace's
//   distance.
// - An open arrival process does not wait. Its rate does not depend on the number of outstanding
//   requests. The rate of a program with blocking threads does, because waiting threads issue
//   nothing. If the rate of bursts falls by less than a fifth from the half of the time with fewer
//   outstanding requests to the other half, the trace counts as open and is replayed at its own
//   times.
//
// Learning dependences from times is the idea of //TRACE (Mesnier et al., FAST 2007) and ARTC
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

// Cause of a request. Requests are numbered from 0 in order of arrival.
struct RequestCause {
  std::vector<std::uint64_t> parents;  // most recent first
  std::uint64_t think_ns = 0;  // after the last parent ends, else after the previous arrival
};

class InferredOrder {
 public:
  static constexpr std::size_t kMostUnderWay = 1'024;  // outstanding requests
  static constexpr std::size_t kMostParents = 32;      // of a join; the most recent are kept

  InferredOrder();

  // Returns the cause of the next request. A request without a completion is never a parent. A
  // request that arrives before its predecessor counts as arriving with it. Throws InputError,
  // without a file name, if more than kMostUnderWay requests are outstanding.
  RequestCause next(const BlockRequest& request);
  // Returns a lower bound on the number of any future request's parents.
  std::uint64_t oldest() const;
  std::uint64_t count() const { return number_; }  // number of requests so far
  // Returns whether the trace so far looks like an open arrival process.
  bool open() const { return open_; }

  void serialize(Archive& archive);

 private:
  struct EarlierCommand {
    std::uint64_t completion_ns = 0;
    std::uint64_t number = 0;

    bool operator>(const EarlierCommand& other) const {
      return std::tie(completion_ns, number) > std::tie(other.completion_ns, other.number);
    }
    void serialize(Archive& archive) { archive(completion_ns, number); }
  };

  void pass_time(std::uint64_t until_ns);
  RequestCause cause_at(std::uint64_t arrival_ns);
  void begin_burst();
  bool looks_open() const;

  std::uint64_t number_ = 0;               // number of the next request
  std::uint64_t now_ns_ = 0;               // latest arrival
  std::vector<EarlierCommand> under_way_;  // outstanding requests: a min-heap by completion
  std::deque<EarlierCommand> unclaimed_;   // completions without a successor, oldest first
  // Element n: the time during which n requests were outstanding, and the bursts that arrived then.
  std::vector<std::uint64_t> time_ns_;
  std::vector<std::uint64_t> bursts_;
  std::uint64_t all_bursts_ = 0;
  bool open_ = false;
};

}  // namespace hmsim
