// SPDX-License-Identifier: BSD-3-Clause
// Does the checker of byte-addressable media detect each kind of error?
#include "check/media_checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "tests/cc/nvdimm/media_rig.h"
#include "tests/cc/states.h"

namespace hmsim {
namespace {

using O = MediaOperation;
using Log = std::vector<MediaRecord>;
using Rules = std::set<std::string>;

// One bank, one region of 4 lines in 5 places, psi = 2.
NvdimmParameters four_lines() {
  NvdimmParameters parameters = small_media();
  parameters.capacity = Bytes(256);
  parameters.media.banks = 1;
  parameters.media.start_gap.psi = 2;
  return parameters;
}

MediaRecord record(int start, O operation, std::uint64_t line, std::uint64_t place,
                   std::uint64_t from = 0) {
  const int time = operation == O::read ? 67'500 : operation == O::write ? 215'000 : 282'500;
  return {Tick(start), Tick(start + time), operation, 0, line, place, from};
}

// Line 0 is written twice; line 3 moves into the gap and is read there.
Log right() {
  return {record(0, O::write, 0, 0), record(215'000, O::write, 0, 0),
          record(430'000, O::move, 0, 4, 3), record(712'500, O::read, 3, 4),
          record(780'000, O::read, 0, 0)};
}

Rules broken(const Log& log, const NvdimmParameters& parameters = four_lines()) {
  ViolationLog violations;
  MediaChecker checker(parameters, 0, Tick(1250), violations);
  checker.on_gap(0, 4, 0);
  for (const MediaRecord& entry : log) {
    checker.on_media(entry);
  }
  Rules rules;
  for (const Violation& violation : violations.first()) {
    rules.insert(violation.rule);
  }
  return rules;
}

Rules broken(const std::function<void(Log&)>& change) {
  Log log = right();
  change(log);
  return broken(log);
}

TEST(MediaChecker, AcceptsCorrectLogs) { EXPECT_EQ(broken(right()), Rules()); }

TEST(MediaChecker, FindsEachViolation) {
  EXPECT_EQ(broken([](Log& log) { log[1].start = Tick(200'000), log[1].end = Tick(415'000); }),
            Rules{"media busy"});
  EXPECT_EQ(broken([](Log& log) { log[3].end = log[3].end - Tick(1); }), Rules{"media time"});
  EXPECT_EQ(broken([](Log& log) { log[4].place = 1; }), Rules{"media place"});
  EXPECT_EQ(broken([](Log& log) { log[4].line = 1; }), Rules{"media place"});
  EXPECT_EQ(broken([](Log& log) { log[3].place = 3; }), Rules{"media place"})
      << "the line has left for the gap";
  EXPECT_EQ(broken([](Log& log) { log.erase(log.begin() + 2); }),
            (Rules{"gap interval", "media place"}));
  EXPECT_EQ(broken([](Log& log) { log.erase(log.begin()); }), Rules{"gap interval"});
  EXPECT_EQ(broken([](Log& log) { log[2].from = 2; }),
            (Rules{"gap move", "gap interval", "media place"}));
  EXPECT_EQ(broken([](Log& log) { log[4].place = 5; }), Rules{"media bank"});
  NvdimmParameters two = four_lines();
  two.media.banks = 2;
  EXPECT_EQ(broken({record(0, O::read, 1, 0)}, two), Rules{"media bank"});
}

TEST(MediaChecker, LinesStayKnownThroughCheckpoints) {
  const NvdimmParameters parameters = four_lines();
  ViolationLog violations;
  MediaChecker before(parameters, 0, Tick(1250), violations);
  before.on_gap(0, 4, 0);
  const Log log = right();
  for (std::size_t i = 0; i < 3; ++i) {
    before.on_media(log[i]);
  }
  MediaChecker after(parameters, 0, Tick(1250), violations);
  testing::copy_state(before, after);
  after.on_media(log[3]);
  EXPECT_EQ(violations.total(), 0);
  after.on_media(record(780'000, O::read, 0, 1));
  EXPECT_EQ(violations.total(), 1);
}

}  // namespace
}  // namespace hmsim
