// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/core_pass.h"

#include <algorithm>

#include "agents/core/core_steps.h"
#include "core/archive.h"

namespace hmsim {

void CorePass::open(const CoreParameters& parameters, RecordSource& source, SourceParts* parts,
                    std::int64_t ahead) {
  slots_ = RateClock(parameters.slots_per_millisecond());
  cycle_slots_ = parameters.slots_of(1);
  window_size_ = parameters.window;
  source_ = &source;
  parts_ = parts;
  window_.reserve(parameters.window + 2 + ahead);
}

void CorePass::empty_window(std::int64_t slot) {
  CoreWindow::Entry before;
  before.dispatch = slot - 1;
  before.retire = slot - 1 + cycle_slots_;
  window_.clear(before);
  last_index_ = 0;
  last_slot_ = slot - 1;
}

void CorePass::rest(std::int64_t slot) {
  empty_window(slot);
  have_record_ = false;
  next_index_ = 0;
  next_slot_ = slot;
  decide_end();
  act_time_ = kNever;
}

void CorePass::start(std::int64_t slot) {
  empty_window(slot);
  if (parts_ != nullptr) {
    parts_->start_pass();
  }
  fetch(*source_);
  next_slot_ = std::max(next_slot_, slot);
  plan();
}

void CorePass::restart(std::int64_t slot) {
  source_->rewind();
  start(slot);
}

void CorePass::each_record(bool to_limit, const std::function<bool()>& visit) {
  const auto first_turn = [this] { return parts_ == nullptr || parts_->in_first_turn(); };
  while ((to_limit ? !ending_ : have_record_) && first_turn() && visit()) {
    last_index_ = next_index_;
    fetch(*source_);
  }
}

std::optional<std::int64_t> CorePass::cut(Tick now) {
  const bool had_record = !ending_;
  const std::int64_t slot = last_slot_by(now);
  const std::int64_t end = ending_ ? end_index_ : next_index_;
  const std::int64_t most = ending_ ? end : end - 1;
  const std::int64_t past = window_.resolved() ? std::max<std::int64_t>(0, slot - last_slot_) : 0;
  const std::int64_t in_window = retired(now) + window_size_;
  const std::int64_t cut = std::max(last_index_, std::min({most, last_index_ + past, in_window}));
  const CoreWindow::Entry& last = window_.last_known();
  if (window_.resolved() && last.retire + (cut - last.index) <= slot) {
    // All instructions retired before this slot, so the pass ends now.
    last_index_ = cut;
    window_.retire_all(cut, slot + 1);
  }
  have_record_ = false;
  stalled_ = false;
  next_index_ = cut;
  decide_end();
  plan();
  return had_record || cut < end ? std::optional<std::int64_t>(end - cut) : std::nullopt;
}

void CorePass::move_limit(std::int64_t instructions, Tick now) {
  limit_index_ = std::max(instructions, last_index_);
  decide_end();
  if (ending_) {
    stalled_ = false;
  } else {
    next_slot_ = std::max(next_slot_, slots_.edge_at_or_after(now));
  }
  plan();
}

bool CorePass::unblock(Tick now) {
  if (!stalled_) {
    return false;
  }
  stalled_ = false;
  next_slot_ = std::max(next_slot_, slots_.edge_at_or_after(now));
  plan();
  return true;
}

// Returns the exact number of instructions that have retired by `now`. After the last entry known
// to be retired, one instruction retires per slot, up to the instruction before the next entry.
std::int64_t CorePass::retired(Tick now) const {
  const std::int64_t slot = last_slot_by(now);
  const std::int64_t next = window_.first_unretired(slot);
  const CoreWindow::Entry& last = window_[next - 1];
  const std::int64_t bound =
      next < window_.end() ? window_[next].index - 1 : (ending_ ? end_index_ : next_index_ - 1);
  const std::int64_t steady = last.index + std::max<std::int64_t>(0, slot - last.retire);
  return std::max(last.index, std::min(steady, bound));
}

void CorePass::serialize(Archive& archive) {
  archive.section("core");
  archive(window_, have_record_, next_index_, next_slot_, last_index_, last_slot_, limit_index_);
  archive(stalled_);
}

void CorePass::resume_loaded() {
  decide_end();
  plan();
}

}  // namespace hmsim
