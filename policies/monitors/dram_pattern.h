// SPDX-License-Identifier: BSD-3-Clause
// Characteristics of DRAM traffic by which the harmonic policy indexes its table, apart from queue
// depth (docs/schedulers.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/monitors/recent_rows.h"
#include "policies/monitors/window.h"
#include "policies/policy.h"

namespace hmsim {

class DramPattern {
 public:
  explicit DramPattern(WindowLength length = {}) : length_(length) {}

  void add(const RequestView& request, Tick now);

  bool known() const { return known_; }  // whether a window has been completed
  // Returns the mean distance in lines between successive requests of a source, each distance
  // capped at kFarthest; scaled by 2^20.
  std::int64_t stride() const { return stride_.value(); }
  // Returns the share of requests to one of the recent distinct rows; scaled by 2^20.
  std::int64_t reuse() const { return reuse_.value(); }

  void serialize(Archive& archive);

 private:
  static constexpr std::int64_t kFarthest = 4096;  // lines

  void close();

  WindowLength length_;
  Window window_;
  std::int64_t steps_ = 0;  // requests with a predecessor of their source
  std::int64_t distance_ = 0;
  std::int64_t reused_ = 0;
  std::vector<std::int64_t> last_line_;  // by source; -1: no request yet
  RecentRows rows_;
  bool known_ = false;
  Average stride_;
  Average reuse_;
};

}  // namespace hmsim
