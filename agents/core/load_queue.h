// SPDX-License-Identifier: BSD-3-Clause
// Loads of a core from dispatch until they leave the window: which of them wait for the load before
// or for an MSHR, and when they are sent.
//
// A load's index is its number (core_window.h) modulo the capacity of the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/core/core_window.h"
#include "agents/frontend_parameters.h"
#include "core/archive.h"
#include "core/clock.h"
#include "core/event_queue.h"
#include "core/ring.h"
#include "traces/trace_formats.h"

namespace hmsim {

class LoadQueue {
 public:
  struct Load {
    std::uint64_t address = 0;  // as in the source
    MemoryClass memory = MemoryClass::dram;
    std::int64_t waiter = 0;  // number of the load that waits for this one, or kUnknown
    void serialize(Archive& archive) { archive(address, memory, waiter); }
  };

  void open(std::size_t capacity, std::int64_t mshrs) {
    loads_.resize(capacity);
    mask_ = static_cast<std::uint32_t>(capacity - 1);
    mshrs_ = mshrs;
  }
  // Starts a pass. Forgets the latest load, so that the pass's first load depends on no load.
  void restart() {
    last_load_ = kUnknown;
    last_ready_ = 0;
  }
  const Load& operator[](std::uint32_t index) const { return loads_[index]; }

  // Adds the load of a record dispatched in `slot`. Returns whether the load may be issued now;
  // otherwise it waits for the load before.
  bool add(std::int64_t number, const Miss& record, std::int64_t slot, const RateClock& slots) {
    loads_[index_of(number)] = {record.load_address, record.memory, kUnknown};
    const std::int64_t before = last_load_;
    const std::int64_t before_ready = last_ready_;
    last_load_ = number;
    last_ready_ = kUnknown;
    if (record.dependent && before != kUnknown && before_ready == kUnknown) {
      loads_[index_of(before)].waiter = number;
      return false;
    }
    if (record.dependent && before_ready > slot) {
      steps_.schedule(slots.tick(before_ready), Step::issue, index_of(number));
      return false;
    }
    return true;
  }
  // Issues a load. Returns whether it is sent now; otherwise it waits for an MSHR.
  bool issue(std::uint32_t index) {
    if (mshrs_ != kWindowOnly && in_flight_ >= mshrs_) {
      waiting_.push(index);
      return false;
    }
    ++in_flight_;
    return true;
  }
  // Records that a load has its data from slot `ready` on and that its MSHR is free from `slot` on.
  // Returns whether that scheduled steps of other loads.
  bool arrived(std::int64_t number, std::int64_t ready, std::int64_t slot, const RateClock& slots) {
    last_ready_ = number == last_load_ ? ready : last_ready_;
    const std::int64_t waiter = loads_[index_of(number)].waiter;
    if (waiter != kUnknown) {
      steps_.schedule(slots.tick(ready), Step::issue, index_of(waiter));
    }
    if (waiting_.empty()) {
      --in_flight_;
      return waiter != kUnknown;
    }
    steps_.schedule(slots.tick(slot), Step::send, waiting_.take());
    return true;
  }

  // Steps are scheduled for loads that waited. take_step() performs the first step and returns its
  // load; `sent` is set to whether the load is sent now.
  Tick next_step() const { return steps_.next_time(); }
  std::uint32_t take_step(bool& sent) {
    const auto step = steps_.pop();
    sent = step.kind == Step::send || issue(step.payload);
    return step.payload;
  }

  // Calls see(memory) with the memory class of each load.
  template <class See>
  void each_memory(See see) const {
    for (const Load& load : loads_) {
      see(load.memory);
    }
  }
  void serialize(Archive& archive);

 private:
  static constexpr std::int64_t kUnknown = CoreWindow::kUnknown;
  // `send`: the load has been given an MSHR.
  enum class Step : std::uint8_t { issue, send, last = send };

  std::uint32_t index_of(std::int64_t number) const {
    return static_cast<std::uint32_t>(number) & mask_;
  }

  std::vector<Load> loads_;            // by index
  std::uint32_t mask_ = 0;             // the capacity, a power of two, minus 1
  std::int64_t last_load_ = kUnknown;  // number of the last dispatched load
  std::int64_t last_ready_ = 0;        // slot in which that load has its data, once known
  EventQueue<Step> steps_;             // payload: index of a load
  Ring<std::uint32_t> waiting_;        // loads that wait for an MSHR
  std::int64_t mshrs_ = 0;
  std::int64_t in_flight_ = 0;
};

inline void LoadQueue::serialize(Archive& archive) {
  archive.fixed(loads_);
  archive(last_load_, last_ready_, steps_, waiting_, in_flight_);
  const auto check = [&](std::uint32_t load) {
    archive.check_index(load, loads_.size(), "invalid load of a core");
  };
  steps_.each([&](const auto& step) { check(step.payload); });
  waiting_.each(check);
}

}  // namespace hmsim
