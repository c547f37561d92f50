// SPDX-License-Identifier: BSD-3-Clause
// Refresh management of JESD79-5B: no bank has more than RAAMMT activates in its rolling count, and
// an RFM is sent only if a bank's count has reached RAAIMT.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

class ActivateCountChecker {
 public:
  // `violations` must outlive the checker.
  ActivateCountChecker(const DramParameters& dram, ViolationLog& violations)
      : initial_(dram.raaimt),
        banks_per_rank_(dram.organisation.banks),
        violations_(violations),
        counts_(dram.refresh_management ? static_cast<std::size_t>(dram.ranks * banks_per_rank_)
                                        : 0) {}

  void check(const CommandRecord& record) {
    if (counts_.empty()) {
      if (record.command == C::refresh_management) {
        violations_.add("refresh management is off", record, 0, 1);
      }
      return;
    }
    if (record.command == C::activate) {
      std::int64_t& count =
          counts_[static_cast<std::size_t>(record.rank * banks_per_rank_ + record.bank)];
      if (++count > kSmallestMaximum * initial_) {
        violations_.add("RAAMMT", record, kSmallestMaximum * initial_, count);
      }
    } else if (record.command == C::refresh || record.command == C::refresh_management) {
      check_refresh(record);
    }
  }

  void serialize(Archive& archive) {
    if (!counts_.empty()) {
      archive.fixed(counts_);
    }
  }

 private:
  using C = ChannelCommand;

  // The smallest RAAMMT that the standard has, in RAAIMT.
  static constexpr std::int64_t kSmallestMaximum = 3;

  void check_refresh(const CommandRecord& record) {
    const auto first = counts_.begin() + record.rank * banks_per_rank_;
    const std::int64_t most = *std::max_element(first, first + banks_per_rank_);
    if (record.command == C::refresh_management && most < initial_) {
      violations_.add("RAAIMT", record, initial_, most);
    }
    for (auto count = first; count != first + banks_per_rank_; ++count) {
      *count = std::max<std::int64_t>(*count - initial_, 0);
    }
  }

  const std::int64_t initial_;  // RAAIMT
  const std::int64_t banks_per_rank_;
  ViolationLog& violations_;
  std::vector<std::int64_t> counts_;  // by bank; empty without refresh management
};

}  // namespace hmsim
