// SPDX-License-Identifier: BSD-3-Clause
// L3 of one core, or shared by several: its contents and its outstanding misses.
//
// Replacement is LRU in each set over all cores; there is no partitioning. Lines of different
// address spaces are different lines. Each space maps its lines to sets in another order, so
// programs with equal layouts do not compete for the same sets.
//
// A miss opens when an access finds its line nowhere, and closes when the line arrives. The first
// fill to start, on any core, fetches the line and holds an MSHR until it arrives. Other fills of
// that line merge with it and hold no L3 MSHR. Cores that find no free MSHR queue, each once; a
// freed MSHR goes to the head of the queue, for one miss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "agents/cache/cache.h"
#include "agents/cache/cache_parameters.h"
#include "core/archive.h"
#include "core/errors.h"
#include "core/random.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// Line of an address space.
struct SpaceLine {
  std::uint64_t number = 0;  // at most 2^59
  std::uint16_t space = 0;

  friend bool operator==(const SpaceLine& a, const SpaceLine& b) {
    return a.number == b.number && a.space == b.space;
  }
  void serialize(Archive& archive) { archive(number, space); }
};

class SharedWay {
 public:
  using Line = SpaceLine;

  SharedWay() = default;
  SharedWay(const SpaceLine& line, bool dirty, std::uint16_t user)
      : bits_(line.number << kFlags | (dirty ? kDirty : 0) | kValid),
        space_(line.space),
        user_(user) {}

  static std::uint64_t set_number(const SpaceLine& line) { return line.number ^ mix64(line.space); }
  bool valid() const { return (bits_ & kValid) != 0; }
  bool holds(const SpaceLine& line) const { return valid() && this->line() == line; }
  SpaceLine line() const { return {bits_ >> kFlags, space_}; }
  bool dirty() const { return (bits_ & kDirty) != 0; }
  void set_dirty() { bits_ |= kDirty; }
  std::uint16_t user() const { return user_; }  // the core that inserted it

  void serialize(Archive& archive) { archive(bits_, space_, user_); }

 private:
  static constexpr int kFlags = 2;
  static constexpr std::uint64_t kValid = 1;
  static constexpr std::uint64_t kDirty = 2;

  std::uint64_t bits_ = 0;
  std::uint16_t space_ = 0;
  std::uint16_t user_ = 0;
};

// Accesses to one level by one core.
struct LevelCounters {
  Counter hits = 0;  // of loads and stores
  Counter misses = 0;
  Counter write_backs = 0;  // dirty lines evicted
};

class LastLevelCache {
 public:
  using MissId = std::uint32_t;
  static constexpr MissId kNone = std::numeric_limits<MissId>::max();

  // Core that uses the cache.
  class User {
   public:
    virtual ~User() = default;
    // Reports that the line of fill `fill`, which another core fetched, has arrived.
    virtual void line_arrived(std::uint32_t fill, Tick now) = 0;
    // Called on a user that is queued for an MSHR when an MSHR is free, or when the user may no
    // longer need an MSHR.
    virtual void start_waiting(Tick now) = 0;
  };
  // Accesses of one user, and what happened to its lines.
  struct Counters : LevelCounters {
    Counter displaced = 0;  // lines of this user displaced by other users
    Counter merges = 0;     // fills that waited for a line fetched by another core
    void serialize(Archive& archive) { archive(hits, misses, write_backs, displaced, merges); }
  };
  struct WriteBack {
    SpaceLine line;
    std::uint16_t source = 0;  // core of the user that inserted it
    void serialize(Archive& archive) { archive(line, source); }
  };

  // Precondition: `parameters` passed check().
  explicit LastLevelCache(const CacheLevelParameters& parameters) : parameters_(parameters) {}

  // Adds a user, which acts for core `source`, and returns its number. All users join before the
  // first access.
  std::uint16_t join(User& user, std::uint16_t source);
  bool shared() const { return shared_; }  // by more than one user
  Counters& counters(std::uint16_t user) { return users_[user].counters; }

  // Returns whether the cache holds the line. If it does, makes the line the most recently used
  // one, and dirty if `dirty`.
  bool touch(const SpaceLine& line, bool dirty);
  // Inserts a line that the cache does not hold. If the insertion evicts a dirty line, appends the
  // dirty line to `left`.
  void insert(std::uint16_t user, const SpaceLine& line, bool dirty, std::vector<WriteBack>& left);

  // Attaches the user's fill to the line's open miss and returns the miss. If the line has no open
  // miss, opens one if `missed`; otherwise the line is present, and returns kNone. Precondition:
  // the user has no other fill of the line.
  MissId refer(const SpaceLine& line, bool missed, std::uint16_t user, std::uint32_t fill);
  bool requested(MissId id) { return miss(id).requested; }

  // Returns whether the user may take an MSHR now. If not, queues the user.
  bool ask(std::uint16_t user);
  // Takes an MSHR for a user that fetches the line of miss `id`. The caller then calls announce(),
  // which lets queued users that wait for the same line continue.
  void take(std::uint16_t user, MissId id);
  void announce(MissId id, std::uint16_t user, Tick now);
  // Frees the MSHR of a line that has arrived. The user that fetched the line first continues its
  // own access. It then calls close(), which notifies the other fills of the miss, and serve(),
  // which serves the queued users.
  void give_back() { ++free_; }
  void close(MissId id, std::uint16_t user, Tick now);
  void serve(Tick now);

  void serialize(Archive& archive);

 private:
  struct State {
    User* user = nullptr;
    std::uint16_t source = 0;
    bool in_line = false;
    Counters counters;
    void serialize(Archive& archive) { archive(counters); }
  };
  struct Reference {
    std::uint16_t user = 0;
    std::uint32_t fill = 0;
    void serialize(Archive& archive) { archive(user, fill); }
  };
  struct Miss {
    bool requested = false;
    std::vector<Reference> references;
    void serialize(Archive& archive) { archive(requested, references); }
  };

  // Returns the miss. Raises a Fault for an id out of range, which a loaded state may contain.
  Miss& miss(MissId id) {
    ensure(id < misses_.size(), "last-level cache", Tick(0), id,
           "invalid miss of the last-level cache");
    return misses_[id];
  }
  // On load, recomputes what follows from the queue and the misses.
  void restore(const Archive& archive);

  CacheLevelParameters parameters_;
  SetAssociative<SharedWay> content_;
  std::deque<State> users_;  // a deque keeps references to counters valid
  bool shared_ = false;
  std::int64_t free_ = 0;  // free MSHRs
  Ring<std::uint16_t> line_;
  std::vector<Miss> misses_;
  std::vector<MissId> unused_;
  // Open misses and their lines, by the same index. Searched linearly, as there are few.
  std::vector<SpaceLine> open_lines_;
  std::vector<MissId> open_;
};

}  // namespace hmsim
