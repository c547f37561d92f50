// SPDX-License-Identifier: BSD-3-Clause
// A limit of the entries that slow requests hold, which rises by one entry and falls by shares.
#pragma once

#include <array>
#include <cstdint>

#include "policies/host_limiter.h"

namespace hmsim {

class SlowLimit : public HostLimiter {
 public:
  void connect(const std::array<std::int64_t, kTiers>& entries) override {
    most_ = entries[kSlow];
    limit_ = most_;
  }
  bool admits(Tier tier, std::uint16_t /*source*/, const HostView& view) override {
    return tier == Tier::fast || view.held[kSlow] < limit_;
  }

 protected:
  static constexpr auto kSlow = index_of(Tier::slow);

  explicit SlowLimit(std::int64_t fewest) : fewest_(fewest) {}

  void raise() { limit_ = earlier(most_, limit_ + 1); }
  void lower_to(std::int64_t entries) { limit_ = earlier(limit_, later(fewest_, entries)); }

  std::int64_t limit_ = 0;

 private:
  const std::int64_t fewest_;
  std::int64_t most_ = 0;
};

}  // namespace hmsim
