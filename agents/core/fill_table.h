// SPDX-License-Identifier: BSD-3-Clause
// Lines in flight to a core's caches, and the MSHRs that they hold.
//
// A fill brings a line into L1, or prefetches it into L2. It starts when its turn has come and
// every level that misses the line has a free MSHR, and holds these MSHRs until its data arrive.
// Fills into L1 start in the order in which they were queued; fills into L2 start after them, in
// their own order. A fill into L1 of a line in flight to L2 waits for that fill and sends no
// request below L2. The L3 grants its own MSHRs (agents/cache/last_level_cache.h).
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
    int level = 0;        // that holds the line, from 2; kCacheLevels + 1: memory
    bool ahead = false;   // prefetch into L2
    bool queued = false;  // for its turn
    bool started = false;
    bool fetches = false;  // once started: reads the line from memory, with an MSHR of L3
    LastLevelCache::MissId miss = LastLevelCache::kNone;  // open L3 miss of the line
    std::int64_t planned = kUnplanned;                    // slot in which it queues
    std::int64_t earliest = 0;                            // earliest slot of its data
    Id above = kNone;    // of a fill into L2: the fill into L1 that waits for it
    Id below = kNone;    // of a fill into L1: the fill into L2 that it waits for
    Id waiters = kNone;  // first and last of a list that the owner keeps
    Id last_waiter = kNone;
    // A fill into L1 keeps a list of the fills into L2 that it queues when it starts.
    Id first_child = kNone;   // of a fill into L1: the list's head
    Id next_sibling = kNone;  // of a fill into L2: its successor in the list
    Id parent = kNone;        // of a fill into L2: the fill into L1 whose list holds it
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
  // `parent`: a fill into L1 that has not started and will queue this one; or kNone.
  Id create_ahead(std::uint64_t line, int level, Id parent);
  // Removes and returns the head of a fill's list, or kNone.
  Id take_child(Id id);

  // Queues a fill. Call next() afterwards until it returns kNone; each id returned has started.
  void queue(Id id);
  Id next();
  // Removes a fill whose data have arrived, frees its MSHRs and its id. If it fetched the line, the
  // caller lets L3 serve others (LastLevelCache::serve).
  Fill remove(Id id, Tick now);

  void serialize(Archive& archive);
  std::uint32_t size() const { return fills_.size(); }  // ids are below it
  std::vector<Id> taken() const { return fills_.taken(); }

 private:
  // Lines in flight. Searched linearly, as there are few.
  struct Lines {
    std::vector<std::uint64_t> lines;
    std::vector<Id> ids;
    Id find(std::uint64_t line) const;
    void add(std::uint64_t line, Id id);
    bool remove(Id id);  // false: absent
  };
  using Needs = std::array<std::int64_t, kCacheLevels>;

  void restore(const Archive& archive, const std::vector<std::pair<Id, Id>>& children);
  Id allocate(std::uint64_t line, int level);
  Needs needs(const Fill& fill) const;
  bool may_start(Id id);
  void start(Id id);
  // Appends fill `id` to the list of its parent, which queues it when it starts.
  void add_child(Id parent, Id id);
  void leave(Id id);

  LastLevelCache* l3_;
  std::uint16_t user_;
  std::array<std::int64_t, kCacheLevels - 1> mshrs_;  // of L1 and L2
  std::array<std::int64_t, kCacheLevels - 1> free_;   // free MSHRs of L1 and L2
  Pool<Fill> fills_;
  Lines into_l1_;
  Lines into_l2_;
  Ring<Id> waiting_;
  std::vector<Id> ahead_waiting_;
};

}  // namespace hmsim
