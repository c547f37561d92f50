// SPDX-License-Identifier: BSD-3-Clause
// Does the table return each request's id once, after its last line?
#include "embed/requests_in_flight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "core/errors.h"
#include "core/random.h"

namespace hmsim {
namespace {

struct Expected {
  std::uint64_t id;
  std::int64_t lines;
};

// The model is a map. Random requests begin and end; more are in flight than at any time before.
TEST(RequestsInFlight, IdsReturnAfterTheLastLine) {
  RequestsInFlight table;
  std::map<std::uint32_t, Expected> model;
  std::vector<std::uint32_t> tags;
  Random random(5);
  std::uint64_t ended = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    if (random.below(100) < 52) {
      const Expected next{~i, static_cast<std::int64_t>(1 + random.below(3))};
      const std::uint32_t tag = table.add(next.id, next.lines);
      ASSERT_TRUE(model.emplace(tag, next).second) << "a tag in use";
      tags.push_back(tag);
    } else if (!tags.empty()) {
      std::swap(tags[random.below(tags.size())], tags.back());
      const std::uint32_t tag = tags.back();
      Expected& request = model.at(tag);
      const auto ended_request = table.end_line(tag);
      ASSERT_EQ(ended_request.has_value(), --request.lines == 0);
      if (ended_request) {
        ASSERT_EQ(ended_request->id, request.id);
        model.erase(tag);
        tags.pop_back();
        ++ended;
      }
    }
  }
  EXPECT_GT(ended, 3000u);
  EXPECT_GT(model.size(), 128u) << "the table has grown";
}

TEST(RequestsInFlight, GrowsOnlyIfMoreThanEverAreInFlight) {
  RequestsInFlight table;
  EXPECT_TRUE(table.full());
  std::vector<std::uint32_t> tags{table.add(0, 1)};
  while (!table.full()) {
    tags.push_back(table.add(tags.size(), 1));
  }
  const std::uint32_t most = *std::max_element(tags.begin(), tags.end());
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t& tag : tags) {
      EXPECT_TRUE(table.end_line(tag));
      EXPECT_FALSE(table.full());
      tag = table.add(1, 1);
      EXPECT_LE(tag, most);
    }
  }
}

TEST(RequestsInFlight, ALineIsDoneOnce) {
  RequestsInFlight table;
  const std::uint32_t tag = table.add(9, 1);
  EXPECT_EQ(table.end_line(tag)->id, 9u);
  EXPECT_THROW(table.end_line(tag), Fault);
}

}  // namespace
}  // namespace hmsim
