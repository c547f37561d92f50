// SPDX-License-Identifier: BSD-3-Clause
// Parts of a core's source that one pass runs: everything from `skip` on, or a list of windows. The
// pass repeats its parts `loop` times. Each window is measured separately, from the end of its
// warm-up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "traces/trace_windows.h"

namespace hmsim {

// Source of a core's records.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Reads the next record. `gap` becomes the number of instructions after the previous record, up
  // to and including this one. Returns false if there is no further record; `gap` is then the
  // number of instructions after the last one.
  virtual bool fetch_record(std::int64_t& gap) = 0;
  // Reads the first record after `instructions` instructions from the source's start. `gap` counts
  // from there. Otherwise the same as fetch_record().
  virtual bool seek_record(std::int64_t instructions, std::int64_t& gap) = 0;
  virtual void rewind() = 0;
};

class SourceParts {
 public:
  void declare(ParameterSet& parameters) { keys_.declare(parameters); }
  std::vector<ParameterError> check(std::int64_t limit) const { return keys_.check(limit); }
  // Opens the parts; called once, after the keys are set. `agent` names the agent in errors. The
  // source outlives this object.
  void open(const std::string& agent, RecordSource& source);

  void start_pass();
  // Reads the next record that belongs to a part, with the result of fetch_record(). `index` is the
  // previous record's instruction number in the pass, 0 at its start. fetch(gap) calls the source's
  // fetch_record(). Throws InputError if the source is too short.
  template <class Fetch>
  bool next_record(Fetch fetch, std::int64_t index, std::int64_t& gap) {
    const bool have = in_part_ ? fetch(gap) : begin_part(index, gap);
    return take(have, gap) || next_of_later_part(index, gap);
  }
  // Returns whether the pass is still in the first of its keys_.loop turns.
  bool in_first_turn() const { return turn_ == 0; }
  // Returns the completed share of a pass without an instruction limit. `done`: instructions of the
  // pass so far. `of_turn`: completed share of the current turn, as the source reports it.
  double fraction(double done, double of_turn) const;

  // Records that all instructions up to `index` have retired. `before`: the last record's
  // instruction at or before `index`, which retired in slot `retired`.
  void reach(std::int64_t index, std::int64_t before, std::int64_t retired) {
    while (!marks_.empty() && marks_.front().index <= index) {
      pass_mark(retired - before);
    }
  }
  // restart_measuring() clears the measurements; stop_measuring() freezes them.
  void restart_measuring();
  void stop_measuring() { measures_ = false; }
  // Returns the weighted instructions per cycle over all windows; 0: unknown.
  double weighted_ipc(double slots_per_cycle) const;
  void register_statistics(StatisticRegistry& registry, const std::string& path,
                           double slots_per_cycle);

  void serialize(Archive& archive);

 private:
  // Window, measured separately.
  struct Measured {
    std::int64_t begin = 0;         // slot, in its latest run
    std::int64_t slots = 0;         // over all runs
    std::int64_t instructions = 0;  // over all runs
    void serialize(Archive& archive) { archive(begin, slots, instructions); }
  };
  // Instruction at which a window's measurement begins or ends.
  struct Mark {
    std::int64_t index = 0;  // instruction number within the pass
    std::uint32_t window = 0;
    bool end = false;
    void serialize(Archive& archive) { archive(index, window, end); }
  };

  [[noreturn]] void fail(const std::string& message) const;
  bool begin_part(std::int64_t index, std::int64_t& gap);
  // Returns whether the record just read, if any, is within the part.
  bool take(bool have, std::int64_t gap) {
    if (!have || gap > left_) {
      return false;
    }
    left_ -= gap;
    idle_turn_ = false;
    return true;
  }
  bool next_of_later_part(std::int64_t index, std::int64_t& gap);
  void pass_mark(std::int64_t slots_ahead);

  RecordSource* source_ = nullptr;
  TraceParts keys_;
  std::string agent_;
  std::vector<TraceWindow> windows_;  // empty: the source from keys_.skip on
  bool in_part_ = false;
  std::size_t window_ = 0;  // the present window, or the next
  std::int64_t left_ = 0;   // instructions of it that are not fetched
  std::int64_t turn_ = 0;   // of keys_.loop
  bool idle_turn_ = true;   // the turn has had no record yet
  bool measures_ = true;
  std::vector<Measured> measured_;
  Ring<Mark> marks_;
};

}  // namespace hmsim
