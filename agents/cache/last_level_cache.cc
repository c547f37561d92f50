// SPDX-License-Identifier: BSD-3-Clause
#include "agents/cache/last_level_cache.h"

#include <algorithm>

#include "core/errors.h"

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
  // A user has at most one fill of a line, so a single user finds no open miss of its line.
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
  miss(id).references.push_back({user, fill});
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
  miss(id).requested = true;
  --free_;
  if (!line_.empty() && line_.front() == user) {
    line_.pop();
    users_[user].in_line = false;
  }
}

void LastLevelCache::announce(MissId id, std::uint16_t user, Tick now) {
  for (const Reference& reference : miss(id).references) {
    if (reference.user != user && users_[reference.user].in_line) {
      users_[reference.user].user->start_waiting(now);
    }
  }
}

void LastLevelCache::close(MissId id, std::uint16_t user, Tick now) {
  const auto place =
      static_cast<std::size_t>(std::find(open_.begin(), open_.end(), id) - open_.begin());
  ensure(place < open_.size(), "last-level cache", now, id,
         "end of a miss that is not outstanding");
  Miss& miss = this->miss(id);
  for (const Reference& reference : miss.references) {
    if (reference.user != user) {
      users_[reference.user].user->line_arrived(reference.fill, now);
    }
  }
  miss.references.clear();
  miss.requested = false;
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
    if (free_ == before) {  // the user no longer needs an MSHR
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
  archive(line_, misses_, unused_, open_lines_, open_);
  if (archive.loading()) {
    restore(archive);
  }
}

void LastLevelCache::restore(const Archive& archive) {
  constexpr const char* kWrong = "invalid user of the last-level cache";
  const auto check_user = [&](std::uint16_t user) {
    archive.check_index(user, users_.size(), kWrong);
  };
  for (const SharedWay& way : content_.ways()) {
    archive.check(!way.valid() || way.user() < users_.size(), kWrong);
  }
  line_.each(check_user);
  for (State& user : users_) {
    user.in_line = false;
  }
  line_.each([&](std::uint16_t user) { users_[user].in_line = true; });
  free_ = users_.empty() ? 0 : parameters_.mshrs;
  for (const Miss& miss : misses_) {
    free_ -= miss.requested ? 1 : 0;
    for (const Reference& reference : miss.references) {
      check_user(reference.user);
    }
  }
  archive.check(open_.size() == open_lines_.size(),
                "missing lines of the last-level cache's misses");
}

}  // namespace hmsim
