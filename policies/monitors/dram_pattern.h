// SPDX-License-Identifier: BSD-3-Clause
// What the harmonic policy's tables know DRAM traffic by, beside the queue's depth
// (docs/schedulers.md).
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

  bool known() const { return known_; }  // a window is over
  // Mean distance in lines, at most kFarthest, of successive requests of a source; x 2^20.
  std::int64_t stride() const { return stride_.value(); }
  // Share of requests to one of the last distinct rows; x 2^20.
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
  std::vector<std::int64_t> last_line_;  // by source; -1: none
  RecentRows rows_;
  bool known_ = false;
  Average stride_;
  Average reuse_;
};

}  // namespace hmsim
