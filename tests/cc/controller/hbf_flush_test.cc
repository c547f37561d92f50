// SPDX-License-Identifier: BSD-3-Clause
// Flushes of several HBF channels under the host's FTL.
#include <set>

#include "core/random.h"
#include "tests/cc/controller/hbf_system.h"

namespace hmsim::testing {
namespace {

// Requests after a flush do not take the entries of the host queue that requests before it need on
// another channel.
TEST(HbfFlush, EndsWithASharedHostQueueAndTwoChannels) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    HbfSystem system(with(kHbf, with(kHostFtl, {{"hbf.map_in", "hbm"},
                                                {"host.queue", "shared"},
                                                {"controller.channels", "2"},
                                                {"nvdimm.capacity", "3MiB"},
                                                {"nvdimm.ftl.over_provisioning", "220"},
                                                {"nvdimm.precondition.fill", "1"}})));
    Random random(seed);
    for (int i = 0; i < 600; ++i) {
      const auto page = static_cast<std::int64_t>(random.below(420));
      if (random.below(100) == 0) {
        Request flush;
        flush.flush = true;
        system.send(flush);
      } else if (random.below(2) == 0) {
        system.write_page(page);
      } else {
        system.read_page(page);
      }
      if (random.below(2) == 0) {
        system.kernel.run_until(system.kernel.now() +
                                Tick(static_cast<std::int64_t>(random.below(3'000'000))));
      }
    }
    system.drain();
  }
}

// A flush on two channels ends when all earlier requests on both are done, and before any later one
// begins, which the idle channel could serve at once.
TEST(HbfFlush, OrdersTheRequestsOfAllChannels) {
  HbfSystem system(with(kHbf, with(kHostFtl, {{"controller.channels", "2"}})));
  const auto write = [&](std::int64_t page) {
    return system.send(MemoryClass::nvdimm, page * kPageBytes.value(), true, kLinesPerPage);
  };
  const std::set<std::uint32_t> before{write(0), write(2), write(4), write(6), write(8)};
  Request request;
  request.flush = true;
  const std::uint32_t flush = system.send(request);
  const std::uint32_t after = write(1);
  system.drain();
  for (const std::uint32_t each : before) {
    EXPECT_LE(system.done[each], system.done[flush]);
  }
  EXPECT_GE(system.done[after] - system.done[flush], Tick(75'000'000)) << "a program after it";
}

}  // namespace
}  // namespace hmsim::testing
