// SPDX-License-Identifier: BSD-3-Clause
// Source of a block agent's requests: the next request and its time, in trace order.
//
// A pass runs parts of the trace: from `skip` on up to a limit of requests, or windows, one after
// another. With replay: timed, the first request of a window arrives with the last request before
// it. With inferred, requests are read ahead and become ready when the requests that they wait for
// complete. The agent's work is a loop of passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/block/arrival_clock.h"
#include "agents/block/block_keys.h"
#include "core/archive.h"
#include "core/clock.h"
#include "core/statistics.h"
#include "core/types.h"
#include "traces/causal_queue.h"
#include "traces/trace_formats.h"
#include "traces/trace_windows.h"

namespace hmsim {

class RequestSource {
 public:
  struct Taken {
    BlockRequest request;
    std::int64_t number = 0;   // of the request, from 0 in each pass, or since measuring began
    Tick begin{0};             // earliest time at which a thread begins it
    bool backward = false;     // the trace time precedes that of an earlier request
    std::uint64_t serial = 0;  // inferred: for ended()
    void serialize(Archive& archive) { archive(request, number, begin, backward, serial); }
  };

  // Opens the source and reads up to the first request. `agent` names the agent in messages.
  // `random` draws think times. `left_out` counts the records that the keys leave out and must
  // outlive the source. Throws InputError, as trace readers do.
  void open(const BlockKeys& keys, std::size_t agent, Random random,
            std::unique_ptr<BlockSource> trace, LeftOutRecords& left_out);

  const std::vector<TraceWindow>& windows() const { return windows_; }  // empty: the whole trace
  // Returns whether the pass has a request to take, which take() requires.
  bool has_next() const { return !closed_ && (causal_ ? causal_->has_ready() : next_.has_value()); }
  void close() { closed_ = true; }  // no further request is taken
  bool closed() const { return closed_; }
  Taken take(Tick now);
  // inferred: reports that a taken request has completed, which may make others ready.
  void ended(std::uint64_t serial, Tick now);
  bool endless() const { return trace_->endless(); }  // unless limited
  bool inferred() const { return causal_.has_value(); }
  bool timed() const { return timed_; }
  // timed: picoseconds from the arrivals of requests until threads were free for them.
  Histogram& held_back() { return held_back_; }
  std::int64_t taken() const { return taken_; }

  void begin_pass(Tick now);
  // Returns to the first request of a pass. Returns true if that was the last pass of a loop.
  bool end_pass();
  // Restarts the limit on the number of requests: only requests taken from now on count.
  void restart_limit();
  // Returns the share of the loop that is done, with `ended` completed requests in the present
  // pass.
  double fraction(std::int64_t ended) const;

  void serialize(Archive& archive);

 private:
  Taken take_causal(Tick now);
  void read_ahead();
  void open_pass();
  void fetch();
  void begin_window();
  bool read_window(BlockRequest& request);
  bool read(BlockRequest& request);
  [[noreturn]] void fail(const std::string& message) const;

  std::unique_ptr<BlockSource> trace_;
  RecordRules rules_;
  std::optional<WriteHandles> handles_;  // unless all writes have those of the trace
  LeftOutRecords* left_out_ = nullptr;
  std::size_t agent_ = 0;
  bool timed_ = false;
  std::int64_t skip_ = 0;
  std::int64_t loop_ = 1;
  std::int64_t limit_ = 0;    // requests per pass; 0: to the end of the trace
  std::int64_t fetched_ = 0;  // of these, including next_
  std::string file_;
  std::vector<TraceWindow> windows_;
  std::size_t window_ = 0;     // window of the next request
  std::int64_t left_ = 0;      // requests of that window not yet read
  std::int64_t read_ = 0;      // requests read since the trace's start
  std::uint64_t writes_ = 0;   // of these, with handles_ only
  bool opens_window_ = false;  // the next request is the first of its window
  bool closed_ = false;
  std::optional<BlockRequest> next_;
  std::optional<CausalQueue> causal_;  // inferred: requests read before next_
  ArrivalClock clock_;
  Tick last_begin_{0};       // of the request taken last
  std::int64_t taken_ = 0;   // requests since the pass, or measuring, began
  std::int64_t passes_ = 0;  // completed, of the present loop
  Histogram held_back_;
};

}  // namespace hmsim
