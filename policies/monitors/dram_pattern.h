// SPDX-License-Identifier: BSD-3-Clause
// Characteristics of DRAM traffic by which the harmonic policy indexes its table, apart from queue
// depth (docs/schedulers.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "policies/monitors/recent_rows.h"
#include "policies/monitors/window.h"
#include "policies/policy.h"

namespace hmsim {

class DramPattern {
 public:
  explicit DramPattern(WindowLength length = {}) : length_(length) {}

  void add(const RequestView& request, Tick now) {
    if (window_.late(length_, now)) {
      close();
    }
    window_.add(now);
    if (request.source >= last_line_.size()) {
      last_line_.resize(request.source + std::size_t{1}, -1);
    }
    std::int64_t& last = last_line_[request.source];
    if (last >= 0) {
      distance_ += std::min<std::int64_t>(std::abs(request.line - last), kFarthest);
      ++steps_;
    }
    last = request.line;
    reused_ += rows_.use(request.rank, request.bank, request.row) ? 1 : 0;
    if (window_.full(length_)) {
      close();
    }
  }

  bool known() const { return known_; }  // whether a window has been completed
  // Returns the mean distance in lines between successive requests of a source, each distance
  // capped at kFarthest; scaled by 2^20.
  std::int64_t stride() const { return stride_.value(); }
  // Returns the share of requests to one of the recent distinct rows; scaled by 2^20.
  std::int64_t reuse() const { return reuse_.value(); }

  void serialize(Archive& archive) {
    archive(window_, steps_, distance_, reused_, last_line_, rows_, known_, stride_, reuse_);
  }

 private:
  static constexpr std::int64_t kFarthest = 4096;  // lines

  void close() {
    if (steps_ > 0) {
      stride_.add(distance_ * kWhole / steps_);
    }
    reuse_.add(reused_ * kWhole / window_.requests());
    known_ = true;
    steps_ = 0;
    distance_ = 0;
    reused_ = 0;
    window_.restart();
  }

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
