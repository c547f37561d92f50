// SPDX-License-Identifier: BSD-3-Clause
// Oracle for cache contents: sets are lists of lines, the prefetcher a map. Several cores may share
// the L3.
#pragma once

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "agents/cache/cache_hierarchy.h"
#include "core/random.h"

namespace hmsim::testing {

class LastLevelModel {
 public:
  struct Line {
    std::uint64_t number = 0;
    std::uint64_t space = 0;
    std::size_t owner = 0;  // core
    bool dirty = false;
  };
  struct Counts {
    std::uint64_t left_dirty = 0;
    std::uint64_t displaced = 0;
  };

  explicit LastLevelModel(const CacheLevelParameters& level)
      : sets_(static_cast<std::size_t>(level.size.value() / 64 / level.ways)),
        ways_(static_cast<std::size_t>(level.ways)) {}

  Line* touch(std::uint64_t number, std::uint64_t space) {
    std::list<Line>& set = set_of(number, space);
    for (auto it = set.begin(); it != set.end(); ++it) {
      if (it->number == number && it->space == space) {
        set.splice(set.end(), set, it);
        return &set.back();
      }
    }
    return nullptr;
  }

  // Adds a line. Returns the dirty line that it displaced, if any.
  std::vector<Line> put(const Line& line) {
    std::list<Line>& set = set_of(line.number, line.space);
    set.push_back(line);
    if (set.size() <= ways_) {
      ++lines;
      return {};
    }
    const Line leaves = set.front();
    set.pop_front();
    counts[leaves.owner].displaced += leaves.owner != line.owner ? 1 : 0;
    counts[leaves.owner].left_dirty += leaves.dirty ? 1 : 0;
    return leaves.dirty ? std::vector<Line>{leaves} : std::vector<Line>();
  }

  std::uint64_t lines = 0;  // currently held
  std::map<std::size_t, Counts> counts;

 private:
  std::list<Line>& set_of(std::uint64_t number, std::uint64_t space) {
    return sets_[(number ^ mix64(space)) % sets_.size()];
  }

  std::vector<std::list<Line>> sets_;  // most recently used last
  std::size_t ways_;
};

class CacheModel {
 public:
  struct Outcome {
    int level = 0;
    std::vector<std::uint64_t> write_backs = {};
    std::vector<std::size_t> owners = {};  // owners of these write-backs, in the L3
    std::vector<std::pair<std::uint64_t, int>> prefetches = {};  // line and the level that held it
  };

  explicit CacheModel(const CacheParameters& parameters)
      : CacheModel(parameters, std::make_shared<LastLevelModel>(parameters.levels[2]), 0, 0) {}
  CacheModel(const CacheParameters& parameters, std::shared_ptr<LastLevelModel> l3,
             std::size_t core, std::uint64_t space)
      : parameters_(parameters), l3_(std::move(l3)), core_(core), space_(space) {
    for (std::size_t i = 0; i < 2; ++i) {
      const CacheLevelParameters& level = parameters.levels[i];
      sets_[i].resize(static_cast<std::size_t>(level.size.value() / 64 / level.ways));
    }
  }

  Outcome access(std::uint64_t line, bool store, std::uint64_t ip) {
    outcome_ = Outcome();
    std::size_t level = 0;
    while (level < 3 && !(level < 2 ? touch(level, line) != nullptr : in_l3(line))) {
      ++misses[level++];
    }
    outcome_.level = static_cast<int>(level) + 1;
    if (level < 3) {
      ++hits[level];
    }
    if (level == 1 && touch(1, line)->ahead) {
      ++useful;
      touch(1, line)->ahead = false;
    }
    for (std::size_t missed = level; missed > 0; --missed) {
      put(missed - 1, {line, store && missed == 1, false});
    }
    if (level == 0) {
      touch(0, line)->dirty |= store;
    } else if (parameters_.prefetcher.kind == PrefetcherKind::stride) {
      prefetch(line, ip);
    }
    return outcome_;
  }

  std::array<std::uint64_t, 3> hits{};
  std::array<std::uint64_t, 3> misses{};
  std::array<std::uint64_t, 2> left_dirty{};
  LastLevelModel::Counts of_l3() const { return l3_->counts[core_]; }
  std::uint64_t issued = 0;
  std::uint64_t useful = 0;

 private:
  struct Line {
    std::uint64_t number;
    bool dirty;
    bool ahead;
  };
  using Set = std::list<Line>;  // most recently used last

  Set& set_of(std::size_t level, std::uint64_t line) {
    return sets_[level][line % sets_[level].size()];
  }

  // Returns the line and makes it the most recent, or returns nullptr if it is absent.
  Line* touch(std::size_t level, std::uint64_t line) {
    Set& set = set_of(level, line);
    for (auto it = set.begin(); it != set.end(); ++it) {
      if (it->number == line) {
        set.splice(set.end(), set, it);
        return &set.back();
      }
    }
    return nullptr;
  }

  bool has(std::size_t level, std::uint64_t line) {
    const Set& set = set_of(level, line);
    return std::any_of(set.begin(), set.end(), [line](const Line& l) { return l.number == line; });
  }

  bool in_l3(std::uint64_t line) { return l3_->touch(line, space_) != nullptr; }

  void put(std::size_t level, Line line) {
    if (level == 2) {
      if (LastLevelModel::Line* const there = l3_->touch(line.number, space_); there != nullptr) {
        there->dirty |= line.dirty;
        return;
      }
      for (const auto& left : l3_->put({line.number, space_, core_, line.dirty})) {
        outcome_.write_backs.push_back(left.number);
        outcome_.owners.push_back(left.owner);
      }
      return;
    }
    if (Line* const there = touch(level, line.number); there != nullptr) {
      there->dirty |= line.dirty;
      return;
    }
    Set& set = set_of(level, line.number);
    set.push_back(line);
    if (set.size() > static_cast<std::size_t>(parameters_.levels[level].ways)) {
      const Line leaves = set.front();
      set.pop_front();
      if (leaves.dirty) {
        ++left_dirty[level];
        put(level + 1, {leaves.number, true, false});
      }
    }
  }

  void prefetch(std::uint64_t line, std::uint64_t ip) {
    // A table entry holds one instruction.
    const std::uint64_t place = mix64(ip) % StridePrefetcher::kEntries;
    const auto known = table_.find(place);
    if (known == table_.end() || known->second.ip != ip) {
      table_[place] = {ip, line, 0};
      return;
    }
    Seen& seen = known->second;
    const std::int64_t stride =
        static_cast<std::int64_t>(line) - static_cast<std::int64_t>(seen.line);
    if (stride == 0) {
      return;
    }
    const bool again = stride == seen.stride;
    seen = {ip, line, stride};
    for (std::int64_t i = 0; again && i < parameters_.prefetcher.degree; ++i) {
      const std::int64_t wanted =
          static_cast<std::int64_t>(line) + stride * (parameters_.prefetcher.distance + i);
      if (wanted < 0 || wanted / 64 != static_cast<std::int64_t>(line) / 64) {
        break;
      }
      const auto target = static_cast<std::uint64_t>(wanted);
      if (!has(1, target)) {
        ++issued;
        const bool found = in_l3(target);
        if (!found) {
          put(2, {target, false, false});
        }
        put(1, {target, false, true});
        outcome_.prefetches.emplace_back(target, found ? 3 : 4);
      }
    }
  }

  struct Seen {
    std::uint64_t ip;
    std::uint64_t line;
    std::int64_t stride;
  };

  CacheParameters parameters_;
  std::shared_ptr<LastLevelModel> l3_;
  std::size_t core_;
  std::uint64_t space_;
  std::array<std::vector<Set>, 2> sets_;
  std::map<std::uint64_t, Seen> table_;
  Outcome outcome_;
};

}  // namespace hmsim::testing
