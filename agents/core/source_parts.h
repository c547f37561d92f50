// SPDX-License-Identifier: BSD-3-Clause
// The parts of its source that a pass of a core runs: all of it from `skip` on, or windows one
// after the other, all so often. Windows are measured each by itself, from the end of their
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

// Where a core's records come from.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Reads the next record; `gap` becomes the instructions from the record before up to this one.
  // False at the end; `gap` instructions then follow the last record.
  virtual bool fetch_record(std::int64_t& gap) = 0;
  // Reads the first record behind so many instructions from the source's start, as fetch_record()
  // does; the gap counts from there.
  virtual bool seek_record(std::int64_t instructions, std::int64_t& gap) = 0;
  virtual void rewind() = 0;
};

class SourceParts {
 public:
  void declare(ParameterSet& parameters) { keys_.declare(parameters); }
  std::vector<ParameterError> check(std::int64_t limit) const { return keys_.check(limit); }
  // Called once, with the keys set. `agent` is its name in errors. The source outlives this.
  void open(const std::string& agent, RecordSource& source);

  void start_pass();
  // Reads the next record of the parts, as fetch_record() does; the record before it, or the pass's
  // start, is instruction `index` of the pass. Throws InputError where the source is too short.
  // fetch(gap): the source's fetch_record().
  template <class Fetch>
  bool next_record(Fetch fetch, std::int64_t index, std::int64_t& gap) {
    const bool have = in_part_ ? fetch(gap) : begin_part(index, gap);
    return take(have, gap) || next_of_later_part(index, gap);
  }
  // No record was read yet that a pass reads for the second time because of keys_.loop.
  bool in_first_turn() const { return turn_ == 0; }
  // Of the pass, where it has no limit; `done` instructions of it were run, and the source tells
  // how much of a turn is over.
  double fraction(double done, double of_turn) const;

  // Retirement is known up to instruction `index`; the last record up to there was instruction
  // `before`, which retired in slot `retired`.
  void reach(std::int64_t index, std::int64_t before, std::int64_t retired) {
    while (!marks_.empty() && marks_.front().index <= index) {
      pass_mark(retired - before);
    }
  }
  // Measurements begin again from nothing, or keep the values that they have.
  void restart_measuring();
  void stop_measuring() { measures_ = false; }
  // Instructions per cycle, of so many slots, over all windows, each by its weight; 0: unknown.
  double weighted_ipc(double slots_per_cycle) const;
  void register_statistics(StatisticRegistry& registry, const std::string& path,
                           double slots_per_cycle);

  void serialize(Archive& archive);

 private:
  // A window, which is measured by itself.
  struct Measured {
    std::int64_t begin = 0;         // slot, of the time it was run last
    std::int64_t slots = 0;         // of all times
    std::int64_t instructions = 0;  // likewise
    void serialize(Archive& archive) { archive(begin, slots, instructions); }
  };
  // Where its measuring begins or ends.
  struct Mark {
    std::int64_t index = 0;  // instruction number within the pass
    std::uint32_t window = 0;
    bool end = false;
    void serialize(Archive& archive) { archive(index, window, end); }
  };

  [[noreturn]] void fail(const std::string& message) const;
  bool begin_part(std::int64_t index, std::int64_t& gap);
  // Whether the record read, if it has one, lies within the part.
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
  std::size_t window_ = 0;  // the present one, or the next
  std::int64_t left_ = 0;   // instructions of it that are not fetched
  std::int64_t turn_ = 0;   // of keys_.loop
  bool idle_turn_ = true;   // it had no record so far
  bool measures_ = true;
  std::vector<Measured> measured_;
  Ring<Mark> marks_;
};

}  // namespace hmsim
