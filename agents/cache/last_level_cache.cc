// SPDX-License-Identifier: BSD-3-Clause
#include "agents/cache/last_level_cache.h"

#include <algorithm>

#include "core/places.h"

namespace hmsim {

std::uint16_t LastLevelCache::join(User& user, std::uint16_t source) {
  if (users_.empty()) {
    content_ = SetAssociative<SharedWay>(parameters_);
    free_ = parameters_.mshrs;
  }
  shared_ = !users_.empty();
  users_.emplace_back();
  users_.back().user = &user;
  users_.back().source = source;
  return static_cast<std::uint16_t>(users_.size() - 1);
}

bool LastLevelCache::touch(const SpaceLine& line, bool dirty) {
  SharedWay* const way = content_.find(line);
  if (way != nullptr && dirty) {
    way->set_dirty();
  }
  return way != nullptr;
}

void LastLevelCache::insert(std::uint16_t user, const SpaceLine& line, bool dirty,
                            std::vector<WriteBack>& left) {
  const SharedWay leaves = content_.insert({line, dirty, user});
  if (!leaves.valid()) {
    return;
  }
  State& owner = users_[leaves.user()];
  owner.counters.displaced += leaves.user() != user ? 1 : 0;
  if (leaves.dirty()) {
    ++owner.counters.write_backs;
    left.push_back({leaves.line(), owner.source});
  }
}

LastLevelCache::MissId LastLevelCache::refer(const SpaceLine& line, bool missed, std::uint16_t user,
                                             std::uint32_t fill) {
  // A user has one fill of a line at most.
  const auto known = users_.size() == 1 ? open_lines_.end()
                                        : std::find(open_lines_.begin(), open_lines_.end(), line);
  MissId id = kNone;
  if (known != open_lines_.end()) {
    id = open_[static_cast<std::size_t>(known - open_lines_.begin())];
  } else if (!missed) {
    return kNone;
  } else {
    if (unused_.empty()) {
      unused_.push_back(static_cast<MissId>(misses_.size()));
      misses_.emplace_back();
    }
    id = unused_.back();
    unused_.pop_back();
    open_lines_.push_back(line);
    open_.push_back(id);
  }
  misses_[id].references.push_back({user, fill});
  return id;
}

bool LastLevelCache::ask(std::uint16_t user) {
  if (free_ > 0 && (line_.empty() || line_.front() == user)) {
    return true;
  }
  if (!users_[user].in_line) {
    users_[user].in_line = true;
    line_.push(user);
  }
  return false;
}

void LastLevelCache::take(std::uint16_t user, MissId id) {
  misses_[id].requested = true;
  --free_;
  if (!line_.empty() && line_.front() == user) {
    line_.pop();
    users_[user].in_line = false;
  }
}

void LastLevelCache::announce(MissId id, std::uint16_t user, Tick now) {
  for (const Reference& reference : misses_[id].references) {
    if (reference.user != user && users_[reference.user].in_line) {
      users_[reference.user].user->start_waiting(now);
    }
  }
}

void LastLevelCache::close(MissId id, std::uint16_t user, Tick now) {
  Miss& miss = misses_[id];
  for (const Reference& reference : miss.references) {
    if (reference.user != user) {
      users_[reference.user].user->line_came(reference.fill, now);
    }
  }
  miss.references.clear();
  miss.requested = false;
  const auto place =
      static_cast<std::size_t>(std::find(open_.begin(), open_.end(), id) - open_.begin());
  open_[place] = open_.back();
  open_lines_[place] = open_lines_.back();
  open_.pop_back();
  open_lines_.pop_back();
  unused_.push_back(id);
}

void LastLevelCache::serve(Tick now) {
  while (free_ > 0 && !line_.empty()) {
    const std::uint16_t first = line_.front();
    const std::int64_t before = free_;
    users_[first].user->start_waiting(now);
    if (free_ == before) {  // it has no use for one any more
      line_.pop();
      users_[first].in_line = false;
    }
  }
}

void LastLevelCache::serialize(Archive& archive) {
  archive.section("last level");
  content_.serialize(archive);
  for (State& each : users_) {
    each.serialize(archive);
  }
  archive(free_, line_, misses_, unused_, open_lines_, open_);
  if (archive.loading()) {
    check_loaded(archive);
  }
}

void LastLevelCache::check_loaded(const Archive& archive) const {
  constexpr const char* kWrong = "the last-level cache does not hold together";
  for (const SharedWay& way : content_.ways()) {
    archive.check(!way.valid() || way.user() < users_.size(), kWrong);
  }
  Places line(archive, users_.size(), kWrong);
  line_.each([&](std::uint16_t user) { line.take(user); });
  for (std::size_t user = 0; user < users_.size(); ++user) {
    archive.check(line.has(user) == users_[user].in_line, kWrong);
  }
  Places misses(archive, misses_.size(), kWrong);
  for (const MissId id : unused_) {
    misses.take(id);
    archive.check(misses_[id].references.empty() && !misses_[id].requested, kWrong);
  }
  archive.check(open_.size() == open_lines_.size(), kWrong);
  std::int64_t requested = 0;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    misses.take(open_[i]);
    requested += misses_[open_[i]].requested ? 1 : 0;
    archive.check(
        users_.size() == 1 || std::find(open_lines_.begin(), open_lines_.end(), open_lines_[i]) -
                                      open_lines_.begin() ==
                                  static_cast<std::ptrdiff_t>(i),
        kWrong);
  }
  const std::int64_t mshrs = users_.empty() ? 0 : parameters_.mshrs;
  archive.check(misses.all() && free_ >= 0 && free_ == mshrs - requested, kWrong);
  for (const Miss& miss : misses_) {
    for (const Reference& reference : miss.references) {
      archive.check_index(reference.user, users_.size(), kWrong);
    }
  }
}

std::vector<std::pair<LastLevelCache::MissId, std::uint32_t>> LastLevelCache::references_of(
    std::uint16_t user) const {
  std::vector<std::pair<MissId, std::uint32_t>> references;
  for (MissId id = 0; id < misses_.size(); ++id) {
    for (const Reference& reference : misses_[id].references) {
      if (reference.user == user) {
        references.emplace_back(id, reference.fill);
      }
    }
  }
  return references;
}

}  // namespace hmsim
