// SPDX-License-Identifier: BSD-3-Clause
#include "policies/monitors/dram_pattern.h"

#include <algorithm>
#include <cstdlib>

namespace hmsim {

void DramPattern::add(const RequestView& request, Tick now) {
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

void DramPattern::close() {
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

void DramPattern::serialize(Archive& archive) {
  archive(window_, steps_, distance_, reused_, last_line_, rows_, known_, stride_, reuse_);
}

}  // namespace hmsim
