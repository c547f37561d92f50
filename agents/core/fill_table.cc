// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/fill_table.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "invalid fill of a core's caches";

}  // namespace

FillTable::Id FillTable::Lines::find(std::uint64_t line) const {
  const auto found = std::find(lines.begin(), lines.end(), line);
  return found == lines.end() ? kNone : ids[static_cast<std::size_t>(found - lines.begin())];
}

void FillTable::Lines::add(std::uint64_t line, Id id) {
  lines.push_back(line);
  ids.push_back(id);
}

bool FillTable::Lines::remove(Id id) {
  const auto at = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  if (at == ids.size()) {
    return false;
  }
  lines[at] = lines.back();
  ids[at] = ids.back();
  lines.pop_back();
  ids.pop_back();
  return true;
}

FillTable::FillTable(const CacheParameters& parameters, LastLevelCache& l3, std::uint16_t user)
    : l3_(&l3),
      user_(user),
      mshrs_{parameters.levels[0].mshrs, parameters.levels[1].mshrs},
      free_(mshrs_) {}

FillTable::Id FillTable::allocate(std::uint64_t line, int level) {
  const Id id = fills_.take();
  fills_[id].line = line;
  fills_[id].level = level;
  return id;
}

FillTable::Id FillTable::create(std::uint64_t line, int level) {
  const Id id = allocate(line, level);
  into_l1_.add(line, id);
  const Id below = find_ahead(line);
  if (below != kNone) {
    fills_[id].below = below;
    fills_[id].level = 2;
    fills_[below].above = id;
  }
  return id;
}

FillTable::Id FillTable::create_ahead(std::uint64_t line, int level, Id parent) {
  const Id id = allocate(line, level);
  into_l2_.add(line, id);
  fills_[id].ahead = true;
  if (parent != kNone) {
    add_child(parent, id);
  }
  return id;
}

void FillTable::add_child(Id parent, Id id) {
  fills_[id].parent = parent;
  Id* last = &fills_[parent].first_child;
  while (*last != kNone) {
    last = &fills_[*last].next_sibling;
  }
  *last = id;
}

FillTable::Id FillTable::take_child(Id id) {
  const Id first = fills_[id].first_child;
  if (first != kNone) {
    leave(first);
  }
  return first;
}

// Removes a fill from the list that it is in.
void FillTable::leave(Id id) {
  Fill& fill = fills_[id];
  Id* link = &fills_[fill.parent].first_child;
  while (*link != id) {
    link = &fills_[*link].next_sibling;
  }
  *link = fill.next_sibling;
  fill.parent = kNone;
  fill.next_sibling = kNone;
}

FillTable::Needs FillTable::needs(const Fill& fill) const {
  const bool fetches = fill.started
                           ? fill.fetches
                           : fill.miss != LastLevelCache::kNone && !l3_->requested(fill.miss);
  Needs wanted{fill.ahead ? 0 : 1, fill.level > 2 ? 1 : 0, fetches ? 1 : 0};
  if (fill.below != kNone && !fills_[fill.below].started) {
    const Needs its = needs(fills_[fill.below]);
    wanted[1] += its[1];
    wanted[2] += its[2];
  }
  return wanted;
}

bool FillTable::may_start(Id id) {
  const Needs wanted = needs(fills_[id]);
  return wanted[0] <= free_[0] && wanted[1] <= free_[1] && (wanted[2] == 0 || l3_->ask(user_));
}

void FillTable::queue(Id id) {
  fills_[id].queued = true;
  if (fills_[id].ahead) {
    ahead_waiting_.push_back(id);
  } else {
    waiting_.push(id);
  }
}

FillTable::Id FillTable::next() {
  if (!waiting_.empty()) {
    const Id id = waiting_.front();
    if (!may_start(id)) {
      return kNone;
    }
    const Id below = fills_[id].below;
    if (below != kNone && !fills_[below].started) {
      const auto place = std::find(ahead_waiting_.begin(), ahead_waiting_.end(), below);
      if (place != ahead_waiting_.end()) {
        ahead_waiting_.erase(place);
      }
      start(below);
      return below;
    }
    waiting_.pop();
    start(id);
    return id;
  }
  if (ahead_waiting_.empty() || !may_start(ahead_waiting_.front())) {
    return kNone;
  }
  const Id id = ahead_waiting_.front();
  ahead_waiting_.erase(ahead_waiting_.begin());
  start(id);
  return id;
}

void FillTable::start(Id id) {
  const Needs taken = needs(fills_[id]);
  free_[0] -= taken[0];
  free_[1] -= taken[1];
  fills_[id].started = true;
  fills_[id].fetches = taken[2] != 0;
  if (fills_[id].fetches) {
    l3_->take(user_, fills_[id].miss);
  }
  if (fills_[id].parent != kNone) {
    leave(id);
  }
}

FillTable::Fill FillTable::remove(Id id, Tick now) {
  // A started fill is in no list and has an empty one.
  ensure(id < fills_.size() && fills_[id].parent == kNone && fills_[id].first_child == kNone &&
             (fills_[id].ahead ? into_l2_ : into_l1_).remove(id),
         "fills", now, id, "arrival of a line that no fill waits for");
  const Fill fill = fills_[id];
  const Needs held = needs(fill);
  free_[0] += held[0];
  free_[1] += held[1];
  if (fill.fetches) {
    l3_->give_back();
  }
  fills_.give_back(id);
  return fill;
}

void FillTable::Fill::serialize(Archive& archive) {
  archive(line, level, ahead, queued, started, fetches, miss, planned, earliest, below);
}

// Links between fills and the free MSHRs are recomputed on load.
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
