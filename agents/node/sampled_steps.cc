// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/sampled_steps.h"

#include <algorithm>

namespace hmsim {

void SampledSteps::begin(std::int64_t slot) {
  slice_from_ = from_ = slot;
  measures_ = false;
  stopped_ = false;
  stretch_ = Stretch();
}

bool SampledSteps::end(std::int64_t slot) {
  report(slot);
  sampling_->ran(slot - slice_from_);
  return stopped_;
}

void SampledSteps::report(std::int64_t slot) {
  if (measures_) {
    sampling_->measured(slot - from_ - instructions_, loads_);
    measures_ = false;
  }
}

void SampledSteps::follow_phase(std::int64_t slot) {
  if (sampling_->measures() == measures_) {
    return;
  }
  report(slot);
  if (sampling_->measures()) {
    measures_ = true;
    from_ = slot;
    instructions_ = loads_ = 0;
  }
}

ThreadStep SampledSteps::next(ThreadSteps& steps, std::uint32_t thread, std::int64_t most,
                              std::int64_t slot) {
  follow_phase(slot);
  stretch_ = Stretch();
  const bool skips = sampling_->skips();
  if (skips) {
    rate_ = sampling_->rate();
    stretch_ = steps.skip(thread, std::min(sampling_->longest_skip(), most), rate_);
    if (has_joined()) {
      sampling_->fetched(stretch_.instructions);
      sampling_->skipped(stretch_.loads);
      slots_ = stretch_.slots(rate_);
      return joined();
    }
  }
  ThreadStep step = steps.next(thread, most);
  sampling_->fetched(step.miss.gap);
  const bool dram = step.kind == ThreadStep::Kind::miss && step.miss.memory == MemoryClass::dram;
  last_loads_ = dram && step.miss.load ? 1 : 0;
  last_skips_ = skips && dram;
  last_waits_ = last_skips_ ? rate_.waits_of(last_loads_) : 0;
  if (!last_skips_) {
    instructions_ += step.miss.gap;
    loads_ += last_loads_;
    return step;
  }
  sampling_->skipped(last_loads_);
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
    slots = std::max<std::int64_t>(0, slots - last_waits_);
    steps.take_back(thread, slots);
    sampling_->returned(slots);
    if (last_skips_) {
      sampling_->skipped(-last_loads_);
    } else {
      instructions_ -= slots;
      loads_ -= last_loads_;
    }
    return 0;
  }
  const Stretch whole = stretch_;
  slots_ -= slots;
  steps.return_to(thread, whole);
  stretch_ = steps.skip(thread, slots_, rate_);
  sampling_->returned(whole.instructions - stretch_.instructions);
  sampling_->skipped(stretch_.loads - whole.loads);
  return slots_ - stretch_.instructions;
}

void SampledSteps::serialize(Archive& archive) {
  archive(stretch_.first, stretch_.instructions, stretch_.loads, rate_.waits, rate_.loads);
  archive(slots_, stopped_, last_waits_, last_skips_);
  archive(measures_, slice_from_, from_, instructions_, loads_, last_loads_);
  archive.check(rate_.loads > 0, "invalid rate of skipped loads");
}

}  // namespace hmsim
