// SPDX-License-Identifier: BSD-3-Clause
// Random traffic for a channel under test.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {

// Random requests over few rows and lines, so that hits, conflicts and equal lines are common.
class RandomTraffic {
 public:
  RandomTraffic(ChannelUnderTest& channel, std::uint64_t seed)
      : channel_(channel), random_(seed), nvdimm_(channel.config_.nvdimm.present) {}

  // Sends a few requests at the present time.
  void burst() {
    for (auto count = random_.below(6); count > 0; --count) {
      const bool nvdimm = nvdimm_ && random_.below(3) == 0;
      const bool write = random_.below(3) == 0;
      const Address address =
          nvdimm
              ? Address(static_cast<std::int64_t>(random_.below(16) * 4096 + random_.below(4) * 64))
              : channel_.dram(static_cast<std::int64_t>(random_.below(3)),
                              static_cast<std::int64_t>(random_.below(8)),
                              static_cast<std::int64_t>(random_.below(8)),
                              static_cast<std::int64_t>(random_.below(
                                  static_cast<std::uint64_t>(channel_.config_.dram.ranks))));
      const auto memory = nvdimm ? MemoryClass::nvdimm : MemoryClass::dram;
      const std::uint64_t id = channel_.send(memory, address, write);
      lines_[{static_cast<int>(memory), address.value()}].push_back(id);
    }
  }
  // Mostly short; now and then so long that ranks are refreshed with nothing to do.
  Cycle pause() {
    const std::uint64_t longest = random_.below(16) == 0 ? 8000 : 40;
    return Cycle(static_cast<std::int64_t>(random_.below(longest)));
  }

  std::map<std::pair<int, std::int64_t>, std::vector<std::uint64_t>> lines_;

 private:
  ChannelUnderTest& channel_;
  Random random_;
  bool nvdimm_;
};

}  // namespace hmsim::testing
