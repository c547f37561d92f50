// SPDX-License-Identifier: BSD-3-Clause
// When has a memory system of several channels recovered from a power failure?
#include <gtest/gtest.h>

#include <vector>

#include "controller/config/address_map.h"
#include "tests/cc/controller/memory_rig.h"

namespace hmsim::testing {
namespace {

struct Silent final : Requester {
  void on_complete(const Request& /*request*/, Tick /*now*/) override {}
};

const Assignments kTwoChannels{{"controller.channels", "2"}, {"system.store_data", "true"}};

// Writes pages on some channels, fails power, and gives recovery almost no time. Returns whether it
// is complete.
bool recovers(const std::vector<int>& written) {
  constexpr std::int64_t kPages = 40;
  Silent requester;
  Memory before(kTwoChannels);
  before.memory.set_requesters({&requester});
  const AddressMap map(Memory::config_of(kTwoChannels));
  Request request;
  request.memory = MemoryClass::nvdimm;
  request.write = true;
  for (std::int64_t page = 0; page < kPages; ++page) {
    request.address = Address(page * kPageBytes.value());
    for (const int channel : written) {
      if (map.nvdimm(request.address).channel == channel) {
        before.memory.send(request, before.kernel.now());
        ++request.id;
      }
    }
  }
  while (!before.memory.idle() && before.kernel.step(kNever)) {
  }
  before.memory.power_fail(before.kernel.now());
  Memory after(kTwoChannels);
  return after.memory.restore(before.memory, after.kernel.now(), Tick(1));
}

// Recovery of a channel without data is complete at once.
TEST(Recovery, EndsWithTheLastChannel) {
  EXPECT_TRUE(recovers({}));
  EXPECT_FALSE(recovers({0}));
  EXPECT_FALSE(recovers({1}));
  EXPECT_FALSE(recovers({0, 1}));
}

}  // namespace
}  // namespace hmsim::testing
