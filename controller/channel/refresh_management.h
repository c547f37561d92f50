// SPDX-License-Identifier: BSD-3-Clause
// Refresh management (RFM) of JESD79-5B: rolling counts of activates, which tell when a rank needs
// an RFM command.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"
#include "dram/parameters.h"

namespace hmsim {

// Counts the activates of each bank (RAA). A refresh of the rank, by REF or by RFM, takes RAAIMT
// off the count of each of its banks.
class RefreshManagement {
 public:
  explicit RefreshManagement(const DramParameters& dram)
      : threshold_(dram.raaimt),
        banks_per_rank_(dram.organisation.banks),
        activates_(dram.refresh_management
                       ? static_cast<std::size_t>(dram.ranks * dram.organisation.banks)
                       : 0) {}

  bool active() const { return !activates_.empty(); }
  // Counts an activate. Returns whether the bank's count has now reached RAAIMT.
  bool activated(std::int32_t bank) {
    return ++activates_[static_cast<std::size_t>(bank)] == threshold_;
  }
  // Records a refresh. Returns whether the count of a bank of the rank is still at RAAIMT or above.
  bool refreshed(int rank) {
    const auto first = activates_.begin() + rank * banks_per_rank_;
    std::int64_t most = 0;
    std::for_each(first, first + banks_per_rank_, [&](std::int64_t& count) {
      count = std::max(count - threshold_, std::int64_t{0});
      most = std::max(most, count);
    });
    return most >= threshold_;
  }
  Counter& commands() { return commands_; }

  void serialize(Archive& archive) {
    if (active()) {
      archive.fixed(activates_);
      archive(commands_);
    }
  }

 private:
  const std::int64_t threshold_;
  const std::int64_t banks_per_rank_;
  std::vector<std::int64_t> activates_;  // by bank; empty if not active
  Counter commands_ = 0;
};

}  // namespace hmsim
