// SPDX-License-Identifier: BSD-3-Clause
// Does a misspelt name lead to the intended one?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.h"

namespace hmsim {
namespace {

const std::vector<std::string> kNames = {
    "nvdimm.count",         "nvdimm.map_size",      "nvdimm.nand.page_size",
    "nvdimm.nand.channels", "controller.scheduler", "controller.channels",
    "nvdimm.ftl.victim",    "controller.queues",    "controller.queue_depth"};

TEST(NearestName, IsThatOfOtherCaseOrSeparators) {
  const std::vector<std::string> policies = {"fcfs_strict", "fr_fcfs", "fr_fcfs_cap"};
  EXPECT_EQ(nearest_name("frfcfs", policies), "fr_fcfs");
  EXPECT_EQ(nearest_name("FR-FCFS", policies), "fr_fcfs");
  EXPECT_EQ(nearest_name("FRFCFSCap", policies), "fr_fcfs_cap");
}

TEST(NearestName, IsThatOfTheSameKeyInAnotherSection) {
  EXPECT_EQ(nearest_name("nvdimm.page_size", kNames), "nvdimm.nand.page_size");
  EXPECT_EQ(nearest_name("ctl.very.long.prefix.victim", kNames), "nvdimm.ftl.victim");
}

TEST(NearestName, IsTheCountOfWhatIsAskedForInThePlural) {
  EXPECT_EQ(nearest_name("controller.nvdimms", kNames), "nvdimm.count");
  EXPECT_EQ(nearest_name("nvdimms", kNames), "nvdimm.count");
}

TEST(NearestName, IsThatOfFewWrongLetters) {
  EXPECT_EQ(nearest_name("controller.sheduler", kNames), "controller.scheduler");
  EXPECT_EQ(nearest_name("nvdimm.nand.chanels", kNames), "nvdimm.nand.channels");
}

TEST(NearestName, IsThatWithTheSameEndOrWord) {
  EXPECT_EQ(nearest_name("frfcfs", {"all", "fr_fcfs_cap", "unified_fr_fcfs"}), "unified_fr_fcfs");
  EXPECT_EQ(nearest_name("read_share", {"kind", "read_ratio", "requests"}), "read_ratio");
  EXPECT_EQ(nearest_name("nvdimm.ftl.victim_policy", kNames), "nvdimm.ftl.victim");
  EXPECT_EQ(nearest_name("other.victim_policy", kNames), "");
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("colour", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(300, 'a'), kNames), "");
  EXPECT_EQ(nearest_name("a", {}), "");
}

TEST(NearestNames, AreOrderedByNearness) {
  EXPECT_EQ(nearest_names("nvdimm.page_size", kNames, 2),
            (std::vector<std::string>{"nvdimm.nand.page_size", "nvdimm.map_size"}));
}

}  // namespace
}  // namespace hmsim
