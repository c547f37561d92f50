// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of fills. Links between fills and the free MSHRs are recomputed on load.
#include <algorithm>
#include <utility>

#include "agents/core/fill_table.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "invalid fill of a core's caches";

}  // namespace

void FillTable::Fill::serialize(Archive& archive) {
  archive(line, level, ahead, queued, started, fetches, miss, planned, earliest, below);
}

void FillTable::serialize(Archive& archive) {
  archive.section("fills");
  archive(fills_, waiting_, ahead_waiting_);
  std::vector<std::pair<Id, Id>> children;  // (fill into L1, member of its list), in order
  for (const Id id : fills_.taken()) {
    for (Id next = fills_[id].first_child; next != kNone; next = fills_[next].next_sibling) {
      children.emplace_back(id, next);
    }
  }
  archive(children);
  if (archive.loading()) {
    restore(archive, children);
  }
}

void FillTable::restore(const Archive& archive, const std::vector<std::pair<Id, Id>>& children) {
  const auto check = [&](Id id) { archive.check_index(id, fills_.size(), kWrong); };
  waiting_.each(check);
  std::for_each(ahead_waiting_.begin(), ahead_waiting_.end(), check);
  for (Id id = 0; id < fills_.size(); ++id) {
    const Fill& fill = fills_[id];
    if (fill.below != kNone) {
      check(fill.below);
      // Guarantees that needs() ends.
      archive.check(!fill.ahead && fills_[fill.below].ahead, kWrong);
      fills_[fill.below].above = id;
    }
  }
  into_l1_ = into_l2_ = Lines();
  free_ = mshrs_;
  const std::vector<bool> used = fills_.in_use();
  for (Id id = 0; id < fills_.size(); ++id) {
    const Fill& fill = fills_[id];
    if (!used[id]) {
      continue;
    }
    (fill.ahead ? into_l2_ : into_l1_).add(fill.line, id);
    free_[0] -= fill.started && !fill.ahead ? 1 : 0;
    free_[1] -= fill.started && fill.level > 2 ? 1 : 0;
  }
  for (const auto& [first, id] : children) {
    check(first);
    check(id);
    archive.check(used[first] && used[id] && fills_[id].parent == kNone, kWrong);
    add_child(first, id);
  }
}

}  // namespace hmsim
