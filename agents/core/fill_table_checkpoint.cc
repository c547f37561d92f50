// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of fills.
#include <algorithm>

#include "agents/core/fill_table.h"
#include "core/places.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "fills of a core's caches do not hold together";

}  // namespace

void FillTable::Fill::serialize(Archive& archive) {
  archive(line, level, ahead, queued, started, fetches, miss, planned, earliest, above, below,
          waiters);
  archive(last_waiter, first_behind, next_behind, behind);
}

void FillTable::Lines::serialize(Archive& archive) { archive(lines, ids); }

void FillTable::serialize(Archive& archive) {
  archive.section("fills");
  archive(free_, fills_, into_l1_, into_l2_, waiting_, ahead_waiting_);
  if (archive.loading()) {
    check_loaded(archive);
  }
}

void FillTable::check_loaded(const Archive& archive) const {
  check_lines(archive, into_l1_, false);
  check_lines(archive, into_l2_, true);
  archive.check(into_l1_.ids.size() + into_l2_.ids.size() == fills_.used(), kWrong);
  Places waiting(archive, fills_.size(), kWrong);
  const auto stand_in_line = [&](Id id, bool ahead) {
    waiting.take(id);
    archive.check(fills_[id].queued && !fills_[id].started && fills_[id].ahead == ahead, kWrong);
  };
  waiting_.each([&](Id id) { stand_in_line(id, false); });
  for (const Id id : ahead_waiting_) {
    stand_in_line(id, true);
  }
  const std::vector<bool> used = in_use();
  for (Id id = 0; id < fills_.size(); ++id) {
    archive.check(used[id] || fills_[id].started, kWrong);  // no step of its own is to come
    if (used[id]) {
      archive.check(waiting.has(id) == (fills_[id].queued && !fills_[id].started), kWrong);
      check_links(archive, used, id);
    }
  }
  check_mshrs(archive);
}

void FillTable::check_lines(const Archive& archive, const Lines& into, bool ahead) const {
  archive.check(into.lines.size() == into.ids.size(), kWrong);
  Places ids(archive, fills_.size(), kWrong);
  const std::vector<bool> used = in_use();
  for (std::size_t i = 0; i < into.ids.size(); ++i) {
    ids.take(into.ids[i]);
    const Fill& fill = fills_[into.ids[i]];
    archive.check(used[into.ids[i]] && fill.line == into.lines[i] && fill.ahead == ahead &&
                      into.find(fill.line) == into.ids[i] && fill.level >= 2 &&
                      fill.level <= static_cast<int>(kCacheLevels) + 1 &&
                      fill.fetches <= fill.started && fill.planned >= 0 && fill.earliest >= 0,
                  kWrong);
  }
}

// A fill and the one that it waits for know each other; so do those in a list behind another.
void FillTable::check_links(const Archive& archive, const std::vector<bool>& used, Id id) const {
  const Fill& fill = fills_[id];
  for (const Id other : {fill.above, fill.below, fill.behind, fill.first_behind}) {
    archive.check_index(other, fills_.size(), kNone, kWrong);
    archive.check(other == kNone || used[other], kWrong);
  }
  const bool above = fill.above == kNone || (fill.ahead && fills_[fill.above].below == id);
  const bool below = fill.below == kNone || (!fill.ahead && fills_[fill.below].above == id);
  archive.check(above && below && (fill.behind == kNone || (fill.ahead && !fill.queued)), kWrong);
  std::size_t count = 0;
  for (Id next = fill.first_behind; next != kNone; next = fills_[next].next_behind) {
    archive.check(
        next < fills_.size() && used[next] && fills_[next].behind == id && ++count <= fills_.size(),
        kWrong);
  }
  archive.check(count == 0 || (!fill.ahead && !fill.started), kWrong);
  std::size_t behind = 0;
  for (Id other = 0; other < fills_.size(); ++other) {
    behind += fills_[other].behind == id ? 1 : 0;
  }
  archive.check(count == behind, kWrong);
}

void FillTable::check_mshrs(const Archive& archive) const {
  auto free = mshrs_;
  const std::vector<bool> used = in_use();
  for (Id id = 0; id < fills_.size(); ++id) {
    if (used[id] && fills_[id].started) {
      const Fill& fill = fills_[id];
      archive.check(fill.below == kNone || fills_[fill.below].started, kWrong);
      const Needs held = needs(fill);
      free[0] -= held[0];
      free[1] -= held[1];
    }
  }
  archive.check(free == free_ && free[0] >= 0 && free[1] >= 0, "MSHRs are counted wrong");
}

}  // namespace hmsim
