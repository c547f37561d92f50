// SPDX-License-Identifier: BSD-3-Clause
// Which NVDIMMs can be built, and what does the user hear about the others?
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

TEST(NvdimmParameters, WhatDoesNotFitIsNamed) {
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

}  // namespace
}  // namespace hmsim
