// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/sampled_steps.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr std::int64_t kMostSlots = 4'096;  // of a joined step: some 2 us

}  // namespace

void SampledSteps::begin(std::int64_t slot) {
  slice_from_ = from_ = slot;
  measures_ = false;
  stretch_ = Stretch();
}

void SampledSteps::end(std::int64_t slot) {
  report(slot);
  sampling_->ran(slot - slice_from_);
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
    stretch_ = steps.skip(thread, std::min(kMostSlots, most), rate_);
    if (has_joined()) {
      sampling_->fetched(stretch_.instructions);
      sampling_->skipped(stretch_.loads);
      return joined();
    }
  }
  ThreadStep step = steps.next(thread, most);
  sampling_->fetched(step.miss.gap);
  const bool dram = step.kind == ThreadStep::Kind::miss && step.miss.memory == MemoryClass::dram;
  last_loads_ = dram && step.miss.load ? 1 : 0;
  if (!skips || !dram) {
    instructions_ += step.miss.gap;
    loads_ += last_loads_;
    return step;
  }
  sampling_->skipped(last_loads_);
  step.waits = rate_.waits_of(last_loads_);
  const std::int64_t gap = step.miss.gap + step.waits;
  step.miss = Miss();
  step.miss.gap = gap;
  return step;
}

ThreadStep SampledSteps::joined() const {
  ThreadStep step;
  step.kind = ThreadStep::Kind::miss;
  step.miss.gap = stretch_.slots(rate_);
  step.waits = step.miss.gap - stretch_.instructions;
  return step;
}

std::int64_t SampledSteps::take_back(ThreadSteps& steps, std::uint32_t thread, std::int64_t slots) {
  if (!has_joined()) {
    steps.take_back(thread, slots);
    instructions_ -= slots;
    loads_ -= last_loads_;
    return 0;
  }
  const Stretch whole = stretch_;
  steps.return_to(thread, whole);
  stretch_ = steps.skip(thread, whole.slots(rate_) - slots, rate_);
  sampling_->skipped(stretch_.loads - whole.loads);
  return rate_.waits_of(stretch_.loads);
}

void SampledSteps::serialize(Archive& archive) {
  archive(stretch_.first, stretch_.instructions, stretch_.loads, rate_.waits, rate_.loads);
  archive(measures_, slice_from_, from_, instructions_, loads_, last_loads_);
  archive.check(rate_.loads > 0, "invalid rate of skipped loads");
}

}  // namespace hmsim
