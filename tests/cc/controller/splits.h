// SPDX-License-Identifier: BSD-3-Clause
// The latency parts of each request of a channel under test, checked as they arrive.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "controller/accounts/request_observer.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {

using Cycles = std::map<LatencyPart, std::int64_t>;

inline constexpr auto kAdmission = LatencyPart::admission;
inline constexpr auto kQueueing = LatencyPart::queueing;
inline constexpr auto kBank = LatencyPart::bank;
inline constexpr auto kBus = LatencyPart::bus;
inline constexpr auto kTransfer = LatencyPart::transfer;
inline constexpr auto kRefresh = LatencyPart::refresh;
inline constexpr auto kAckWait = LatencyPart::ack_wait;
inline constexpr auto kGcBlocked = LatencyPart::gc_blocked;

// Records and checks the parts.
class Splits final : public RequestObserver {
 public:
  explicit Splits(ChannelUnderTest& channel) : period_(channel.channel_.clock_period()) {
    channel.channel_.set_request_observer(this);
  }

  void on_request(const RequestRecord& record) override {
    const Request& request = record.request;
    Tick sum{0};
    for (const Tick part : record.parts) {
      EXPECT_GE(part, Tick(0)) << "request " << request.id;
      sum += part;
    }
    EXPECT_EQ(sum, record.done - request.arrival) << "request " << request.id;
    EXPECT_LE(request.arrival, record.admitted);
    EXPECT_LE(record.admitted, record.first_command);
    EXPECT_LE(record.first_command, record.issued);
    EXPECT_LT(record.issued, record.done);
    parts_[request.id] = record.parts;
    auto& sums = sums_[{request.memory, request.write}];
    for (std::size_t i = 0; i < kLatencyParts; ++i) {
      sums[i] += record.parts[i].value();
    }
  }

  Tick time(std::uint64_t id, LatencyPart part) const {
    return parts_.at(id)[static_cast<std::size_t>(part)];
  }
  // Returns the non-zero parts of a request in cycles.
  Cycles cycles(std::uint64_t id) const {
    Cycles cycles;
    for (std::size_t i = 0; i < kLatencyParts; ++i) {
      const Tick time = parts_.at(id)[i];
      EXPECT_EQ(time % period_, Tick(0));
      if (time != Tick(0)) {
        cycles[static_cast<LatencyPart>(i)] = time / period_;
      }
    }
    return cycles;
  }

  std::map<std::uint64_t, std::array<Tick, kLatencyParts>> parts_;
  std::map<std::pair<MemoryClass, bool>, std::array<std::int64_t, kLatencyParts>> sums_;

 private:
  Tick period_;
};

}  // namespace hmsim::testing
