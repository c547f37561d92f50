// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/core_window.h"

namespace hmsim {

void CoreWindow::reserve(std::int64_t records) {
  std::size_t size = 1;
  while (size < static_cast<std::size_t>(records)) {
    size *= 2;
  }
  entries_.resize(size);
  mask_ = size - 1;
}

void CoreWindow::clear(const Entry& before) {
  first_ = applied_ = known_ = end_;
  entry(first_ - 1) = before;
}

void CoreWindow::retire_all(std::int64_t index, std::int64_t slot) {
  Entry& last = entry(known_ - 1);
  last.index = index;
  last.retire = slot;
  first_ = applied_ = known_ = end_;
}

std::int64_t CoreWindow::first_unretired(std::int64_t slot) const {
  std::int64_t next = first_;
  for (std::int64_t count = known_ - first_; count > 0;) {
    const std::int64_t half = count / 2;
    const bool past = entry(next + half).retire <= slot;
    next = past ? next + half + 1 : next;
    count = past ? count - half - 1 : half;
  }
  return next;
}

void CoreWindow::serialize(Archive& archive) {
  archive.fixed(entries_);
  archive(first_, applied_, known_, end_);
  // Guarantees that loops over the window end.
  archive.check(first_ >= 0 && first_ <= applied_ && applied_ <= known_ && known_ <= end_ &&
                    end_ - first_ < static_cast<std::int64_t>(entries_.size()),
                "invalid window of a core");
}

}  // namespace hmsim
