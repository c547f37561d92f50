// SPDX-License-Identifier: BSD-3-Clause
// Which NVDIMMs can be built, and which errors are reported for the others?
#include <gtest/gtest.h>

#include "nvdimm/nvdimm.h"

namespace hmsim {
namespace {

TEST(NvdimmParameters, DefaultsFitAndReadBack) {
  NvdimmParameters parameters;
  EXPECT_TRUE(parameters.check().empty());
  ParameterSet set;
  parameters.declare(set);
  const Assignments before = set.values();
  EXPECT_TRUE(set.apply(before).empty());
  EXPECT_EQ(set.values(), before);
  for (const ParameterInfo& info : set.describe()) {
    EXPECT_EQ(info.name.rfind("nvdimm.", 0), 0u);
    EXPECT_FALSE(info.doc.empty());
  }
}

TEST(NvdimmParameters, LogicalCapacityIsRawOverOnePlusOverProvisioning) {
  NvdimmParameters parameters;
  EXPECT_EQ(Nvdimm::logical_capacity(parameters) / kPageBytes, 8388608LL * 100 / 107);
  parameters.ftl.over_provisioning = 28;
  EXPECT_EQ(Nvdimm::logical_capacity(parameters) / kPageBytes, 8388608LL * 100 / 128);
}

std::string only_error(const Assignments& assignments) {
  NvdimmParameters parameters;
  ParameterSet set;
  parameters.declare(set);
  const std::vector<ParameterError> unread = set.apply(assignments);
  EXPECT_TRUE(unread.empty()) << unread[0].message;
  const std::vector<ParameterError> errors = parameters.check();
  return errors.size() == 1 ? errors[0].name : std::to_string(errors.size()) + " errors";
}

TEST(NvdimmParameters, ErrorsNameTheInconsistentParameter) {
  EXPECT_EQ(only_error({{"nvdimm.ftl.order", "CWDD"}}), "nvdimm.ftl.order");
  EXPECT_EQ(only_error({{"nvdimm.ftl.order", "PWDC"}}), "0 errors");
  EXPECT_EQ(only_error({{"nvdimm.capacity", "33MiB"}}), "nvdimm.capacity");
  EXPECT_EQ(only_error({{"nvdimm.capacity", "4MiB"}}), "nvdimm.capacity") << "one block a LUN";
  EXPECT_EQ(only_error({{"nvdimm.precondition.overwrite", "1"}}), "nvdimm.precondition.overwrite");
  EXPECT_EQ(only_error({{"nvdimm.ftl.gc_threshold", "0.1"}}), "nvdimm.ftl.over_provisioning");
  EXPECT_EQ(only_error({{"nvdimm.ftl.over_provisioning", "3"}}), "nvdimm.ftl.over_provisioning");
  EXPECT_EQ(only_error({{"nvdimm.capacity", "256MiB"}}), "nvdimm.ftl.over_provisioning");
  EXPECT_EQ(only_error({{"nvdimm.capacity", "256MiB"},
                        {"nvdimm.buffer.write_size", "1MiB"},
                        {"nvdimm.ftl.over_provisioning", "15"}}),
            "0 errors");
  EXPECT_EQ(only_error({{"nvdimm.ftl.reserve_blocks", "1024"}, {"nvdimm.capacity", "4GiB"}}),
            "nvdimm.ftl.gc_threshold");
}

// read_time and program_time are means. In a block with as many fast pages as slow ones, the slow
// pages take twice the mean minus the time of the fast ones.
TEST(NvdimmParameters, SlowPagesAreNotFasterThanOthers) {
  const auto with_read = [](const char* model, const char* fast, const char* middle) {
    return only_error({{"nvdimm.nand.program_model", model},
                       {"nvdimm.nand.read_time", "50us"},
                       {"nvdimm.nand.fast_read_time", fast},
                       {"nvdimm.nand.middle_read_time", middle},
                       {"nvdimm.nand.program_time", "650us"},
                       {"nvdimm.nand.fast_program_time", "300us"}});
  };
  EXPECT_EQ(with_read("cmlc", "50us", "1us"), "0 errors");
  EXPECT_EQ(with_read("cmlc", "51us", "1us"), "nvdimm.nand.read_time");
  // Three kinds in turn: the slow ones take 150 us minus the time of the others.
  EXPECT_EQ(with_read("tlc", "70us", "10us"), "0 errors");
  EXPECT_EQ(with_read("tlc", "71us", "10us"), "nvdimm.nand.read_time");
  EXPECT_EQ(with_read("tlc", "10us", "71us"), "nvdimm.nand.read_time");
  const auto with_program = [](const char* model, const char* fast, const char* middle) {
    return only_error({{"nvdimm.nand.program_model", model},
                       {"nvdimm.nand.program_time", "500us"},
                       {"nvdimm.nand.fast_program_time", fast},
                       {"nvdimm.nand.middle_program_time", middle}});
  };
  EXPECT_EQ(with_program("mlc", "500us", "1us"), "0 errors");
  EXPECT_EQ(with_program("mlc", "501us", "1us"), "nvdimm.nand.program_time");
  EXPECT_EQ(with_program("flat", "501us", "1us"), "0 errors");
  EXPECT_EQ(with_program("tlc", "700us", "100us"), "0 errors");
  EXPECT_EQ(with_program("tlc", "710us", "100us"), "nvdimm.nand.program_time");
  EXPECT_EQ(with_program("tlc", "100us", "710us"), "nvdimm.nand.program_time");
}

TEST(NvdimmParameters, APageIsOfOneToFourLogicalPages) {
  NvdimmParameters parameters;
  for (const std::int64_t kibibytes : {4, 8, 16}) {
    parameters.nand.page_size = Bytes(kibibytes << 10);
    EXPECT_TRUE(parameters.check().empty()) << kibibytes;
  }
  parameters.nand.page_size = Bytes(12 << 10);
  ASSERT_FALSE(parameters.check().empty());
  EXPECT_EQ(parameters.check()[0].name, "nvdimm.nand.page_size");
  EXPECT_NE(parameters.check()[0].message.find("nearest: 8KiB"), std::string::npos);
}

TEST(NvdimmParameters, TheSuggestedNumberOfFreeBlocksIsTheLargest) {
  NvdimmParameters parameters;
  parameters.capacity = Bytes(1 << 20);
  parameters.nand.channels = 1;
  parameters.nand.chips = 1;
  parameters.nand.pages_per_block = 16;
  parameters.buffer.write_size = kPageBytes;
  parameters.ftl.over_provisioning = 200;
  parameters.ftl.gc_threshold = 0;
  const auto error_of = [&parameters](std::int64_t kept) -> std::string {
    parameters.ftl.reserve_blocks = kept;
    const std::vector<ParameterError> errors = parameters.check();
    return errors.empty() ? "" : errors[0].message;
  };
  for (const double bad : {0.0, 0.1}) {
    parameters.nand.factory_bad = bad;
    const std::string error = error_of(16);
    const std::string before = "; at most ";
    const std::size_t at = error.find(before);
    ASSERT_NE(at, std::string::npos) << error;
    const std::int64_t most = std::stoll(error.substr(at + before.size()));
    EXPECT_EQ(error_of(most), "");
    EXPECT_NE(error_of(most + 1), "");
  }
}

// The value that a message suggests is the smallest sufficient one.
TEST(NvdimmParameters, TheSuggestedOverProvisioningIsTheSmallest) {
  const auto errors_with = [](NvdimmParameters parameters, double over_provisioning) {
    parameters.ftl.over_provisioning = over_provisioning;
    return parameters.check();
  };
  const std::string before = " do; ";
  int offered = 0;
  int refused = 0;
  for (const std::int64_t parts : {1, 4}) {
    for (const std::int64_t pages : {1, 2, 8}) {
      for (std::int64_t blocks = 5; blocks <= 60; ++blocks) {
        NvdimmParameters parameters;
        parameters.nand.channels = 1;
        parameters.nand.chips = 1;
        parameters.nand.page_size = parts * kPageBytes;
        parameters.nand.pages_per_block = pages;
        parameters.capacity = blocks * pages * parts * kPageBytes;
        parameters.buffer.write_size = kPageBytes;
        parameters.ftl.gc_threshold = 0;
        const std::vector<ParameterError> errors = errors_with(parameters, 1);
        if (errors.empty() || errors[0].name != "nvdimm.ftl.over_provisioning") {
          continue;
        }
        ++refused;
        const std::size_t at = errors[0].message.find(before);
        if (errors[0].message.find(" is enough") == std::string::npos) {
          continue;
        }
        ++offered;
        const double enough = std::stod(errors[0].message.substr(at + before.size()));
        EXPECT_TRUE(errors_with(parameters, enough).empty()) << errors[0].message;
        EXPECT_FALSE(errors_with(parameters, enough - 0.1).empty()) << errors[0].message;
      }
    }
  }
  EXPECT_GT(offered, 100);
  EXPECT_GT(refused, offered);
}

}  // namespace
}  // namespace hmsim
