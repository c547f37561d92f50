// SPDX-License-Identifier: BSD-3-Clause
#include "policies/monitors/nvdimm_pattern.h"

#include <algorithm>

namespace hmsim {

PageStreams::Touch PageStreams::add(std::int64_t page) {
  Touch touch = Touch::same_page;
  auto stream = std::find(last_.begin(), last_.end(), page);
  if (stream == last_.end()) {
    touch = Touch::sequential;
    stream = std::find(last_.begin(), last_.end(), page - 1);
  }
  if (stream == last_.end()) {
    touch = Touch::random;
    --stream;  // replaces the least recently used stream
  }
  std::move_backward(last_.begin(), stream, stream + 1);
  last_.front() = page;
  return touch;
}

void NvdimmPattern::add(const RequestView& request, Tick now) {
  if (window_.late(length_, now)) {
    close();
  }
  window_.add(now);
  writes_ += request.write ? 1 : 0;
  Op& op = ops_[request.write ? 1 : 0];
  const PageStreams::Touch touch = op.streams.add(request.row);
  op.touches += touch == PageStreams::Touch::same_page ? 0 : 1;
  op.random += touch == PageStreams::Touch::random ? 1 : 0;
  if (window_.full(length_)) {
    close();
  }
}

void NvdimmPattern::close() {
  write_ratio_.add(writes_ * kWhole / window_.requests());
  for (Op& op : ops_) {
    if (op.touches > 0) {
      op.randomness.add(op.random * kWhole / op.touches);
    }
    op.touches = 0;
    op.random = 0;
  }
  known_ = true;
  writes_ = 0;
  window_.restart();
}

}  // namespace hmsim
