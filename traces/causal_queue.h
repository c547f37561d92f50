// SPDX-License-Identifier: BSD-3-Clause
// Requests of a block trace with inferred dependences: determines which may start, and when.
//
// A request waits for its parents to end. Without parents it waits for the previous request to
// start. Then it waits for its think time (traces/inferred_order.h). A request is *held* from when
// it is read until it has ended. Ended requests are remembered as long as later ones may depend on
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

#include "core/archive.h"
#include "core/random.h"
#include "core/types.h"
#include "traces/inferred_order.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Parameters of replay with inferred dependences.
struct InferenceParameters {
  double think_scale = 1;
  double think_spread = 0;  // each think time is drawn from (1 - spread) to (1 + spread) times it
  Tick old_response{0};     // of the traced device, if the trace has no completions; 0: none
};

// Requests of one pass over a trace, in the order that their dependences allow.
class CausalQueue {
 public:
  static constexpr std::size_t kMostHeld = InferredOrder::kMostUnderWay;

  struct Ready {
    BlockRequest request;
    std::uint64_t serial = 0;  // number of the request within its pass
    Tick begin{0};
  };

  // `random` draws the think times if they have a spread.
  CausalQueue(const InferenceParameters& parameters, const Random& random)
      : parameters_(parameters), random_(random) {}

  // Starts a pass: nothing is held, and the next request added starts at `now`.
  void begin_pass(Tick now);
  void end_pass() { in_pass_ = false; }
  // Returns whether add() may be called: within a pass, while there is room.
  bool has_room() const {
    return in_pass_ && held_ < kMostHeld && entries_.size() < kMostRemembered;
  }
  // Adds a request. Throws InputError, without a file name, if no dependences can be inferred.
  void add(const BlockRequest& request);
  // Marks the end of the trace. Throws InputError as add() does.
  void end_trace() const;

  bool has_ready() const { return !ready_.empty(); }
  // Removes and returns the ready request with the earliest start time.
  Ready take(Tick now);
  void end(std::uint64_t serial, Tick now);

  std::int64_t not_taken() const;  // number of held requests not taken yet
  void serialize(Archive& archive);

 private:
  enum class State : std::uint8_t { waits, ready, taken, ended, last = ended };

  struct Entry {
    BlockRequest request;
    State state = State::waits;
    std::int64_t awaited = 0;  // parents that have not ended, or 1 for the previous request
    Tick begin{0};             // earliest start; the actual start once taken
    Tick think{0};
    Tick end{0};
    std::vector<std::uint64_t> children;  // serials of requests that wait for this one to end
    bool followed = false;                // the next request waits for this one to start

    void serialize(Archive& archive) {
      archive(request, state, awaited, begin, think, end, children, followed);
    }
  };
  struct Turn {
    Tick begin{0};
    std::uint64_t serial = 0;
    bool operator>(const Turn& other) const {
      return std::tie(begin, serial) > std::tie(other.begin, other.serial);
    }
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
  std::deque<Entry> entries_;  // by serial, from first_
  std::uint64_t first_ = 0;    // serial of the first entry
  std::size_t held_ = 0;
  bool in_pass_ = false;
  bool any_completion_ = false;
  std::vector<Turn> ready_;  // min-heap by start time
};

}  // namespace hmsim
