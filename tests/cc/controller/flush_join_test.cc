// SPDX-License-Identifier: BSD-3-Clause
// Does a flush of several NVDIMMs hold together with the parts of it that are under way?
#include "controller/flush_join.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/errors.h"

namespace hmsim {
namespace {

// The first flush that is under way, of two NVDIMMs.
TEST(FlushJoin, ASavedFlushWaitsForAsManyPartsAsAreUnderWay) {
  const std::vector<Requester*> requesters(1);
  FlushJoin join(requesters);
  const Request part = join.begin(Request(), 2);
  const auto takes = [&](std::size_t parts) {
    const std::vector<Requester::Outstanding> requests(parts, {part, true});
    try {
      join.check_outstanding(Archive(std::string()), requests);
    } catch (const InputError&) {
      return false;
    }
    return true;
  };
  for (const std::size_t parts : {0, 1, 2, 3}) {
    EXPECT_EQ(takes(parts), parts == 2) << parts;
  }
}

}  // namespace
}  // namespace hmsim
