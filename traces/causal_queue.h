// SPDX-License-Identifier: BSD-3-Clause
// The requests of a block trace that wait for each other: which of them may begin, and when.
//
// A request waits for its parents to end, or, without any, for the request before it to begin, and
// then for its think time (traces/inferred_order.h). It is *held* from when it is read until it has
// ended; those that have ended are remembered as long as others may be found to wait for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/archive.h"
#include "core/random.h"
#include "core/types.h"
#include "traces/inferred_order.h"
#include "traces/trace_formats.h"

namespace hmsim {

struct InferenceParameters {
  double think_scale = 1;
  double think_spread = 0;  // each think time is drawn from so far below it to so far above
  Tick old_response{0};     // of the traced device, where the trace does not tell; 0: none
};

class CausalQueue {
 public:
  static constexpr std::size_t kMostHeld = InferredOrder::kMostUnderWay;

  struct Ready {
    BlockRequest request;
    std::uint64_t serial = 0;  // of the request in its pass
    Tick begin{0};
  };

  // `random` draws think times, where they have a spread.
  CausalQueue(const InferenceParameters& parameters, const Random& random)
      : parameters_(parameters), random_(random) {}

  // Nothing is held any more, and the next request to be added begins at this time.
  void begin_pass(Tick now);
  void end_pass() { in_pass_ = false; }
  // Whether add() may be called: within a pass, as long as there is room.
  bool has_room() const {
    return in_pass_ && held_ < kMostHeld && entries_.size() < kMostRemembered;
  }
  // Throws InputError, without naming a file, when nothing can be inferred from the trace.
  void add(const BlockRequest& request);
  // The trace ends here; throws as add() does.
  void end_trace() const;

  bool has_ready() const { return !ready_.empty(); }
  // The request that may begin first.
  Ready take(Tick now);
  void end(std::uint64_t serial, Tick now);

  std::int64_t not_taken() const;  // of those held
  void serialize(Archive& archive);

 private:
  enum class State : std::uint8_t { waits, ready, taken, ended, last = ended };

  struct Entry {
    BlockRequest request;
    State state = State::waits;
    std::int64_t awaited = 0;  // parents that have not ended, or the request before it
    Tick begin{0};             // not before; once it is taken: then
    Tick think{0};
    Tick end{0};
    std::vector<std::uint64_t> children;  // that wait for its end
    bool followed = false;                // the next one waits for its begin

    void serialize(Archive& archive) {
      archive(request, state, awaited, begin, think, end, children, followed);
    }
  };
  struct Turn {
    Tick begin{0};
    std::uint64_t serial = 0;
    bool operator>(const Turn& other) const;
  };

  static constexpr std::size_t kMostRemembered = 65'536;  // entries

  Entry& at(std::uint64_t serial);  // a Fault unless it is held or remembered
  std::uint64_t next_serial() const { return first_ + entries_.size(); }
  double draw_factor();
  void release(std::uint64_t serial, Tick time);
  void make_ready(Entry& entry, std::uint64_t serial);
  void forget();

  InferenceParameters parameters_;
  Random random_;
  InferredOrder order_;
  Tick pass_begin_{0};
  std::deque<Entry> entries_;  // by serial
  std::uint64_t first_ = 0;    // serial of their first
  std::size_t held_ = 0;
  bool in_pass_ = false;
  bool any_completion_ = false;
  std::vector<Turn> ready_;  // a heap, the first to begin at its front
};

}  // namespace hmsim
