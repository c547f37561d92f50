// SPDX-License-Identifier: BSD-3-Clause
// Attaches the flash protocol checker to one NVDIMM of a test.
#pragma once

#include <gtest/gtest.h>

#include "check/flash_checker.h"
#include "nvdimm/nvdimm.h"

namespace hmsim {

class FlashWatch {
 public:
  explicit FlashWatch(Nvdimm& nvdimm)
      : nvdimm_(nvdimm),
        checker_(nvdimm.parameters().nand,
                 nvdimm.parameters().nand.superblocks(nvdimm.parameters().capacity) *
                     nvdimm.parameters().nand.planes,
                 0, Tick(1), violations_) {
    nvdimm.add_flash_observer(checker_);
  }
  FlashWatch(const FlashWatch&) = delete;
  FlashWatch& operator=(const FlashWatch&) = delete;
  // Must be destroyed before the NVDIMM.
  ~FlashWatch() {
    EXPECT_EQ(violations_.total(), 0);
    for (const Violation& violation : violations_.first()) {
      ADD_FAILURE() << violation.describe();
    }
    if (nvdimm_.idle()) {
      EXPECT_EQ(checker_.unfinished(), 0);
    }
  }

  void serialize(Archive& archive) { checker_.serialize(archive); }

 private:
  Nvdimm& nvdimm_;
  ViolationLog violations_;
  FlashChecker checker_;
};

}  // namespace hmsim
