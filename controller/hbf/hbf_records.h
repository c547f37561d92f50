// SPDX-License-Identifier: BSD-3-Clause
// Records of the requests of an HBF channel for an observer, with the parts of their times. Without
// an observer they cost a comparison an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

class HbfRecords {
 public:
  // `slots`: of the channel's queue.
  HbfRecords(int channel, std::size_t slots) : channel_(channel), times_(slots) {}

  // nullptr: nobody observes. Requests admitted without an observer get no record.
  void lead_to(RequestObserver* observer) { observer_ = observer; }

  // The request got its entry, was sent to the device, and arrived there.
  void admitted(std::uint32_t slot, Tick now) { note(slot, &Times::admitted, now); }
  void sent(std::uint32_t slot, Tick now) { note(slot, &Times::sent, now); }
  void arrived(std::uint32_t slot, Tick now) { note(slot, &Times::arrived, now); }
  // Its answer leaves the device. `begun`: when the flash began to work for it.
  void answered(std::uint32_t slot, Tick begun, Tick now) {
    note(slot, &Times::begun, begun);
    note(slot, &Times::answered, now);
  }
  // The answer is at the host.
  void ended(const Transaction& done, Tick now) {
    Times& times = times_[done.slot];
    if (observer_ == nullptr || times.admitted == kNever) {
      return;
    }
    const Tick begun = later(times.begun, times.arrived);
    RequestRecord record{done.request,   channel_,   done.rank,      done.bank, false,
                         times.admitted, times.sent, times.answered, now,       {}};
    const auto part = [&record](LatencyPart which) -> Tick& {
      return record.parts[static_cast<std::size_t>(which)];
    };
    part(LatencyPart::admission) = times.admitted - done.request.arrival;
    part(LatencyPart::queueing) = times.sent - times.admitted + (begun - times.arrived);
    part(LatencyPart::ack_wait) = times.answered - begun;
    part(LatencyPart::transfer) = times.arrived - times.sent + (now - times.answered);
    times.admitted = kNever;
    observer_->on_request(record);
  }

  void serialize(Archive& archive) { archive.fixed(times_); }

 private:
  struct Times {
    Tick admitted = kNever;  // kNever: not observed
    Tick sent{0};
    Tick arrived{0};
    Tick begun{0};
    Tick answered{0};
    void serialize(Archive& archive) { archive(admitted, sent, arrived, begun, answered); }
  };

  void note(std::uint32_t slot, Tick Times::*which, Tick now) {
    if (observer_ != nullptr) {
      times_[slot].*which = now;
    }
  }

  const int channel_;
  RequestObserver* observer_ = nullptr;
  std::vector<Times> times_;  // by slot
};

}  // namespace hmsim
