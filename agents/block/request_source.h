// SPDX-License-Identifier: BSD-3-Clause
// The source of a block agent's requests: what comes next, and when, in the trace's order.
//
// A pass carries out parts of the trace: all of it from `skip` on to a limit of requests, or
// windows, one right behind the other. With replay: timed the first request of a window arrives
// with the last one before it; with inferred requests are read ahead, and come as their causes are
// done. A loop of passes makes up the agent's work.
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
#include "core/types.h"
#include "traces/causal_queue.h"
#include "traces/trace_formats.h"
#include "traces/trace_windows.h"

namespace hmsim {

class RequestSource {
 public:
  struct Taken {
    BlockRequest request;
    std::int64_t number = 0;   // of the request, from 0 in each pass or since measuring began
    Tick begin{0};             // when a thread begins it, at the earliest
    bool backward = false;     // the trace dates it before an earlier request
    std::uint64_t serial = 0;  // inferred: for ended()
  };

  // Reads up to the first request. `agent` names the agent in messages; think times are drawn with
  // `random`. Throws InputError, as readers of traces do.
  void open(const BlockKeys& keys, std::size_t agent, Random random,
            std::unique_ptr<BlockSource> trace);

  const std::vector<TraceWindow>& windows() const { return windows_; }  // none: the whole trace
  // Whether the pass goes on. If so, take() gives its next request to a thread that is free.
  bool has_next() const { return causal_ ? causal_->has_ready() : next_.has_value(); }
  Taken take(Tick now);
  // inferred: a request that was taken has ended, and others may come because of it.
  void ended(std::uint64_t serial, Tick now);
  bool endless() const { return trace_->endless(); }  // but for the limit
  bool inferred() const { return causal_.has_value(); }
  std::int64_t taken() const { return taken_; }

  void begin_pass(Tick now);
  // Goes back to the first request of a pass. True: that was the last pass of a loop.
  bool end_pass();
  // The limit counts requests taken from now on.
  void restart_limit();
  // The share of the loop that is done, of whose present pass so many requests have ended.
  double fraction(std::int64_t ended) const;

  void serialize(Archive& archive);

 private:
  Taken take_causal(Tick now);
  void read_ahead();
  void open_pass();
  void fetch();
  void begin_window();
  bool read_window(BlockRequest& request);
  [[noreturn]] void fail(const std::string& message) const;

  std::unique_ptr<BlockSource> trace_;
  std::size_t agent_ = 0;
  bool timed_ = false;
  std::int64_t skip_ = 0;
  std::int64_t loop_ = 1;
  std::int64_t limit_ = 0;    // requests of a pass; 0: to the trace's end
  std::int64_t fetched_ = 0;  // of these, next_ included
  std::string file_;
  std::vector<TraceWindow> windows_;
  std::size_t window_ = 0;     // that of the next request
  std::int64_t left_ = 0;      // requests of that window that are not read yet
  std::int64_t read_ = 0;      // requests read since the trace's start
  bool opens_window_ = false;  // whether the next request is the first of its window
  std::optional<BlockRequest> next_;
  std::optional<CausalQueue> causal_;  // inferred: those in front of next_ that are under way
  ArrivalClock clock_;
  Tick last_begin_{0};       // of the last request taken
  std::int64_t taken_ = 0;   // requests since the pass, or measuring, began
  std::int64_t passes_ = 0;  // ended, of the present loop
};

}  // namespace hmsim
