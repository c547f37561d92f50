// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/sampled_steps.h"

#include <algorithm>
#include <utility>

namespace hmsim {

void SampledSteps::begin(std::int64_t slot) {
  slice_from_ = from_ = last_slot_ = slot;
  io_count_ = sampling_ != nullptr ? sampling_->io_count() : 0;
  measure_ = CoreSampling::Measure::none;
  stopped_ = false;
  stretch_ = Stretch();
}

bool SampledSteps::end(std::int64_t slot) {
  follow_transfers();
  report(slot);
  sampling_->ran(slot - slice_from_);
  return stopped_;
}

void SampledSteps::report(std::int64_t slot) {
  if (measure_ != CoreSampling::Measure::none) {
    sampling_->measured(measure_, slot - from_ - instructions_, loads_);
    measure_ = CoreSampling::Measure::none;
  }
}

// If a transfer began during the last step, it delays that step. The step then counts as one beside
// a transfer.
void SampledSteps::follow_transfers() {
  const bool began = std::exchange(io_count_, sampling_->io_count()) != sampling_->io_count();
  if (!began || measure_ != CoreSampling::Measure::quiet) {
    return;
  }
  instructions_ -= last_gap_;
  loads_ -= last_loads_;
  report(last_slot_);
  measure_ = sampling_->bursts() ? CoreSampling::Measure::burst : CoreSampling::Measure::io;
  from_ = last_slot_;
  instructions_ = last_gap_;
  loads_ = last_loads_;
}

void SampledSteps::follow_phase(std::int64_t slot) {
  follow_transfers();
  if (sampling_->measure() != measure_) {
    report(slot);
    measure_ = sampling_->measure();
    from_ = slot;
    instructions_ = loads_ = 0;
  }
  last_slot_ = slot;
}

ThreadStep SampledSteps::next(ThreadSteps& steps, std::uint32_t thread, std::int64_t most,
                              std::int64_t slot) {
  follow_phase(slot);
  stretch_ = Stretch();
  const bool skips = sampling_->skips();
  if (skips) {
    stratum_ = sampling_->stratum();
    rate_ = sampling_->rate();
    stretch_ = steps.skip(thread, std::min(sampling_->longest_skip(), most), rate_);
    if (has_joined()) {
      slots_ = stretch_.slots(rate_);
      sampling_->fetched(stretch_.instructions);
      sampling_->skipped(stratum_, stretch_.loads, slots_ - stretch_.instructions);
      return joined();
    }
  }
  ThreadStep step = steps.next(thread, most);
  sampling_->fetched(step.miss.gap);
  const bool dram = step.kind == ThreadStep::Kind::miss && step.miss.memory == MemoryClass::dram;
  last_loads_ = dram && step.miss.load ? 1 : 0;
  last_skips_ = skips && dram;
  last_waits_ = last_skips_ ? rate_.waits_of(last_loads_) : 0;
  last_gap_ = step.miss.gap;
  if (!last_skips_) {
    instructions_ += last_gap_;
    loads_ += last_loads_;
    return step;
  }
  sampling_->skipped(stratum_, last_loads_, last_waits_);
  step.waits = last_waits_;
  const std::int64_t gap = step.miss.gap + step.waits;
  step.miss = Miss();
  step.miss.gap = gap;
  return step;
}

ThreadStep SampledSteps::joined() const {
  ThreadStep step;
  step.kind = ThreadStep::Kind::miss;
  step.miss.gap = slots_;
  step.waits = slots_ - stretch_.instructions;
  return step;
}

std::int64_t SampledSteps::take_back(ThreadSteps& steps, std::uint32_t thread, std::int64_t slots) {
  if (!active()) {
    steps.take_back(thread, slots);
    return 0;
  }
  if (!has_joined()) {
    const std::int64_t waits = std::min(slots, last_waits_);
    slots -= waits;
    steps.take_back(thread, slots);
    sampling_->returned(slots);
    last_gap_ -= slots;
    if (last_skips_) {
      sampling_->skipped(stratum_, -last_loads_, -waits);
    } else {
      instructions_ -= slots;
      loads_ -= std::exchange(last_loads_, 0);
    }
    return 0;
  }
  const Stretch whole = stretch_;
  const std::int64_t waited = slots_ - whole.instructions;
  slots_ -= slots;
  steps.return_to(thread, whole);
  stretch_ = steps.skip(thread, slots_, rate_);
  sampling_->returned(whole.instructions - stretch_.instructions);
  const std::int64_t waits = slots_ - stretch_.instructions;
  sampling_->skipped(stratum_, stretch_.loads - whole.loads, waits - waited);
  return waits;
}

void SampledSteps::serialize(Archive& archive) {
  archive(stretch_.first, stretch_.instructions, stretch_.loads, rate_.waits, rate_.loads);
  archive(slots_, stopped_, last_waits_, last_skips_);
  archive(measure_, stratum_, io_count_, slice_from_, from_, instructions_, loads_);
  archive(last_slot_, last_gap_, last_loads_);
  archive.check(rate_.loads > 0, "invalid rate of skipped loads");
}

}  // namespace hmsim
