// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/source_parts.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

}  // namespace

void SourceParts::open(const std::string& agent, RecordSource& source) {
  source_ = &source;
  agent_ = agent;
  windows_ = keys_.list();
  measured_.resize(windows_.size());
}

void SourceParts::start_pass() {
  in_part_ = false;
  window_ = 0;
  turn_ = 0;
  idle_turn_ = true;
}

void SourceParts::fail(const std::string& message) const {
  throw InputError(agent_ + "." + message);
}

// Reads the next record of the parts that follow, after the present part has run out. On entry, the
// first record beyond that part, or the end of the source, is `gap` instructions ahead.
bool SourceParts::next_of_later_part(std::int64_t index, std::int64_t& gap) {
  std::int64_t step = gap;
  gap = 0;
  while (true) {
    if (!windows_.empty() && step < left_) {
      fail("windows: window " + std::to_string(window_) + " ends after the trace");
    }
    gap += std::min(step, left_);
    in_part_ = false;
    if (windows_.empty() || ++window_ == windows_.size()) {
      window_ = 0;
      if (++turn_ >= keys_.loop) {
        return false;
      }
      if (idle_turn_) {
        fail("loop: the windows contain no record of the trace");
      }
      idle_turn_ = true;
      source_->rewind();
    }
    step = 0;
    const bool have = begin_part(index + gap, step);
    if (take(have, step)) {
      gap += step;
      return true;
    }
  }
}

// Reads the first record of a part that starts after `index` instructions of the pass.
bool SourceParts::begin_part(std::int64_t index, std::int64_t& gap) {
  in_part_ = true;
  if (windows_.empty()) {
    left_ = kNoLimit;
    if (keys_.skip == 0) {
      return source_->fetch_record(gap);
    }
    if (!source_->seek_record(keys_.skip, gap)) {
      fail("skip: the trace has no record after " + std::to_string(keys_.skip) + " instructions");
    }
    return true;
  }
  const TraceWindow& window = windows_[window_];
  left_ = window.warmup + window.length;
  const auto number = static_cast<std::uint32_t>(window_);
  marks_.push({index + window.warmup, number, false});
  marks_.push({index + left_, number, true});
  return source_->seek_record(window.skip, gap);
}

double SourceParts::fraction(double done, double of_turn) const {
  if (windows_.empty()) {
    return (static_cast<double>(turn_) + of_turn) / static_cast<double>(keys_.loop);
  }
  double all = 0;
  for (const TraceWindow& window : windows_) {
    all += static_cast<double>(window.warmup + window.length);
  }
  return std::min(1.0, done / (all * static_cast<double>(keys_.loop)));
}

// After the last record before the mark, one instruction retires per slot.
void SourceParts::pass_mark(std::int64_t slots_ahead) {
  const Mark mark = marks_.take();
  Measured& window = measured_[mark.window];
  const std::int64_t slot = mark.index + slots_ahead;
  if (!mark.end) {
    window.begin = slot;
  } else if (measures_) {
    window.slots += slot - window.begin;
    window.instructions += windows_[mark.window].length;
  }
}

void SourceParts::restart_measuring() {
  measures_ = true;
  for (Measured& window : measured_) {
    window.slots = window.instructions = 0;
  }
}

// Averages cycles per instruction, because a window's weight is its share of instructions.
double SourceParts::weighted_ipc(double slots_per_cycle) const {
  double weights = 0;
  double cycles = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (measured_[i].slots == 0) {
      return 0;
    }
    weights += windows_[i].weight;
    cycles += windows_[i].weight * static_cast<double>(measured_[i].slots) /
              (slots_per_cycle * static_cast<double>(measured_[i].instructions));
  }
  return windows_.empty() ? 0 : weights / cycles;
}

void SourceParts::register_statistics(StatisticRegistry& registry, const std::string& path,
                                      double slots_per_cycle) {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const Measured& window = measured_[i];
    registry.ratio(
        path + ".window." + std::to_string(i) + ".ipc",
        "instructions per cycle in a window of its trace, up to the first finish",
        [&window, slots_per_cycle] {
          return static_cast<double>(window.instructions) * slots_per_cycle;
        },
        [&window] { return static_cast<double>(window.slots); });
  }
}

void SourceParts::serialize(Archive& archive) {
  archive(in_part_, window_, left_, turn_, idle_turn_, measures_);
  archive.fixed(measured_);
  archive(marks_);
  constexpr const char* kInvalid = "invalid part of a core's trace";
  archive.check(left_ >= 0 && (windows_.empty() || window_ < windows_.size()), kInvalid);
  marks_.each(
      [&](const Mark& mark) { archive.check_index(mark.window, windows_.size(), kInvalid); });
}

}  // namespace hmsim
