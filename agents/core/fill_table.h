// SPDX-License-Identifier: BSD-3-Clause
// Lines on their way into a core's caches, and the MSHRs that they hold.
//
// A fill brings a line into L1, or ahead of use into L2. It starts when its turn has come and every
// level that misses the line has an MSHR free; it holds them until its data are there. Fills into
// L1 start in the order in which they were asked for; those into L2 after them, in theirs. A fill
// into L1 of a line that is on its way to L2 asks nobody below L2, but waits for that one. The
// MSHRs of L3 are its own to give (agents/cache/last_level_cache.h).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "agents/cache/cache_parameters.h"
#include "agents/cache/last_level_cache.h"
#include "core/pool.h"
#include "core/ring.h"

namespace hmsim {

class Archive;

class FillTable {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = 0xFFFFFFFF;
  static constexpr std::int64_t kUnplanned = std::numeric_limits<std::int64_t>::max();

  struct Fill {
    std::uint64_t line = 0;
    int level = 0;        // where the line is, from 2; one more than there are: in memory
    bool ahead = false;   // into L2
    bool queued = false;  // for its turn
    bool started = false;
    bool fetches = false;  // once started: the line from memory, with an MSHR of L3
    LastLevelCache::MissId miss = LastLevelCache::kNone;  // of L3, while the line is not there
    std::int64_t planned = kUnplanned;                    // slot in which it asks for its turn
    std::int64_t earliest = 0;  // slot before which its data are not there
    Id above = kNone;           // of one into L2: that into L1 that waits for it
    Id below = kNone;           // of one into L1: that into L2 that it waits for
    Id waiters = kNone;         // first and last of a list that the owner keeps
    Id last_waiter = kNone;
    // A fill into L1 has a list of the fills into L2 that it asks for when it starts.
    Id first_behind = kNone;  // of a fill into L1: the list's first
    Id next_behind = kNone;   // of a fill into L2: the list's next
    Id behind = kNone;        // of a fill into L2: the fill into L1
    void serialize(Archive& archive);
  };

  // `user` is the core's number at the L3.
  FillTable(const CacheParameters& parameters, LastLevelCache& l3, std::uint16_t user);

  Fill& operator[](Id id) { return fills_[id]; }
  const Fill& operator[](Id id) const { return fills_[id]; }
  Id find(std::uint64_t line) const { return into_l1_.find(line); }
  Id find_ahead(std::uint64_t line) const { return into_l2_.find(line); }

  bool in_flight(std::uint64_t line) const {
    return find(line) != kNone || find_ahead(line) != kNone;
  }

  Id create(std::uint64_t line, int level);
  // `behind`: a fill into L1 that has not started and is to ask for this one, or kNone.
  Id create_ahead(std::uint64_t line, int level, Id behind);
  // The next of those behind a fill, which is then behind it no longer, or kNone.
  Id take_behind(Id id);

  // Queues a fill; next() then tells what starts, one after the other, until kNone.
  void queue(Id id);
  Id next();
  // The data are there: its MSHRs are free, the id is no longer its own. (If it fetched them, L3
  // has others to serve.)
  Fill remove(Id id, Tick now);

  void serialize(Archive& archive);
  std::uint32_t size() const { return fills_.size(); }  // ids lie below it
  std::vector<Id> taken() const { return fills_.taken(); }

 private:
  // Lines in flight; few enough to be looked through.
  struct Lines {
    std::vector<std::uint64_t> lines;
    std::vector<Id> ids;
    Id find(std::uint64_t line) const;
    void add(std::uint64_t line, Id id);
    bool remove(Id id);  // false: it is not here
  };
  using Needs = std::array<std::int64_t, kCacheLevels>;

  void restore(const Archive& archive, const std::vector<std::pair<Id, Id>>& behind);
  Id allocate(std::uint64_t line, int level);
  Needs needs(const Fill& fill) const;
  bool may_start(Id id);
  void start(Id id);
  // Appends fill `id` to the list of fills that wait for fill `first`.
  void put_behind(Id first, Id id);
  void leave(Id id);

  LastLevelCache* l3_;
  std::uint16_t user_;
  std::array<std::int64_t, kCacheLevels - 1> mshrs_;  // of L1 and L2
  std::array<std::int64_t, kCacheLevels - 1> free_;   // of them
  Pool<Fill> fills_;
  Lines into_l1_;
  Lines into_l2_;
  Ring<Id> waiting_;
  std::vector<Id> ahead_waiting_;
};

}  // namespace hmsim
