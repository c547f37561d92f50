// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of cores.
#include <algorithm>

#include "agents/core/core_agent.h"
#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::int64_t kLast = std::int64_t{1} << 60;  // slot, or instruction

}  // namespace

void CoreAgent::Entry::serialize(Archive& archive) { archive(index, dispatch, ready, retire); }

void CoreAgent::serialize_state(Archive& archive) {
  archive.section("core");
  archive.fixed(entries_);
  archive(first_, applied_, known_, end_, have_record_, ending_);
  archive(next_index_, next_slot_, last_index_, last_slot_, limit_index_, end_index_);
  archive(stalled_, act_time_, before_pass_, measured_before_);
  archive(parts_);
  if (archive.loading()) {
    check_loaded(archive);
  }
  serialize_core(archive);
}

void CoreAgent::check_loaded(const Archive& archive) const {
  constexpr const char* kWrong = "a core's window does not hold together";
  const auto size = static_cast<std::int64_t>(entries_.size());
  archive.check(first_ >= 0 && first_ <= applied_ && applied_ <= known_ && known_ <= end_ &&
                    end_ - first_ < size && end_ < kLast,
                kWrong);
  const Entry& base = entry(first_ - 1);
  archive.check(base.index >= 0 && base.dispatch >= kUnknown && base.retire >= kUnknown &&
                    last_index_ >= base.index && last_slot_ >= kUnknown,
                kWrong);
  for (std::int64_t number = first_; number < end_; ++number) {
    const Entry& own = entry(number);
    const Entry& before = entry(number - 1);
    archive.check(own.index > before.index && own.index <= last_index_ && own.dispatch >= 0 &&
                      own.ready >= kUnknown && own.retire >= 0 && own.dispatch < kLast &&
                      own.ready < kLast && own.retire < kLast &&
                      (number >= known_ || own.ready != kUnknown) &&
                      (number != known_ || own.ready == kUnknown),
                  kWrong);
  }
  archive.check(next_index_ >= last_index_ && next_slot_ >= 0 && limit_index_ >= 0 &&
                    ending_ == (!have_record_ || next_index_ > limit_index_) &&
                    end_index_ == std::min(next_index_, limit_index_) && end_index_ >= last_index_,
                kWrong);
  archive.check(before_pass_ >= 0 && before_pass_ < kLast && measured_before_ >= 0, kWrong);
  check_act_time(archive);
}

// The core acts next when plan() has said.
void CoreAgent::check_act_time(const Archive& archive) const {
  const Entry& last = entry(known_ - 1);
  const bool passes = !ending_ || end_index_ < kLast;
  archive.check(passes && last.retire < kLast && last_slot_ < kLast && next_slot_ < kLast,
                "a core has come too far");
  const std::int64_t slot = ending_ ? last.retire + (end_index_ - last.index) : next_slot_;
  archive.check(act_time_ == kNever ? known_ < end_ || stalled_ || (may_rest() && ending_)
                                    : act_time_ == slots_.tick(slot),
                "a core acts at another time than it should");
}

}  // namespace hmsim
