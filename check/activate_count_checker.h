// SPDX-License-Identifier: BSD-3-Clause
// Refresh management of JESD79-5B: no bank has more than RAAMMT activates in its rolling count, and
// an RFM is sent only if a bank's count has reached RAAIMT.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class ActivateCountChecker {
 public:
  // `violations` must outlive the checker.
  ActivateCountChecker(const DramParameters& dram, ViolationLog& violations);

  void check(const CommandRecord& record);

  void serialize(Archive& archive) {
    if (!counts_.empty()) {
      archive.fixed(counts_);
    }
  }

 private:
  void check_refresh(const CommandRecord& record);

  const std::int64_t initial_;  // RAAIMT
  const std::int64_t banks_per_rank_;
  ViolationLog& violations_;
  std::vector<std::int64_t> counts_;  // by bank; empty without refresh management
};

}  // namespace hmsim
