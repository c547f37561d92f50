// SPDX-License-Identifier: BSD-3-Clause
// The L3 of one core, or of several that share it: what it holds, and its misses on their way.
//
// One capacity, one order of use in each set: whose lines leave depends on nothing but that. Lines
// of different address spaces are different lines; each space has its sets in another order, so
// that programs which are laid out alike do not compete for the same ones.
//
// A miss is opened when an access finds its line nowhere, and lasts until the line is there.
// Whichever fill of whichever core is the first to start fetches it, and holds an MSHR until then;
// others of the same line merge with it and hold none. Cores that find no MSHR free stand in line,
// each once: one that becomes free goes to the first in line, for one miss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "agents/cache/cache.h"
#include "agents/cache/cache_parameters.h"
#include "core/archive.h"
#include "core/random.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// A line of an address space.
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
  std::uint16_t user() const { return user_; }  // who put it here

  void serialize(Archive& archive) { archive(bits_, space_, user_); }

 private:
  static constexpr int kFlags = 2;
  static constexpr std::uint64_t kValid = 1;
  static constexpr std::uint64_t kDirty = 2;

  std::uint64_t bits_ = 0;
  std::uint16_t space_ = 0;
  std::uint16_t user_ = 0;
};

class LastLevelCache {
 public:
  using MissId = std::uint32_t;
  static constexpr MissId kNone = std::numeric_limits<MissId>::max();

  // A core that uses it.
  class User {
   public:
    virtual ~User() = default;
    // A line that one of its fills refers to, and another core fetched, is there.
    virtual void line_came(std::uint32_t fill, Tick now) = 0;
    // The user stands in line, and now an MSHR is free, or the user needs none any more.
    virtual void start_waiting(Tick now) = 0;
  };
  // What one user's loads and stores met with.
  struct Counters {
    Counter hits = 0;  // of loads and stores
    Counter misses = 0;
    Counter write_backs = 0;  // dirty lines of its own that left
    Counter displaced = 0;    // lines of its own that those of others pushed out
    Counter merges = 0;       // fills that waited for a line which another core fetched
    void serialize(Archive& archive) { archive(hits, misses, write_backs, displaced, merges); }
  };
  struct WriteBack {
    SpaceLine line;
    std::uint16_t source = 0;  // core of whoever put it here
    void serialize(Archive& archive) { archive(line, source); }
  };

  // `parameters` are such that check() finds nothing wrong.
  explicit LastLevelCache(const CacheLevelParameters& parameters) : parameters_(parameters) {}

  // Adds a user, which acts for a core, and returns its number. All users join before any access.
  std::uint16_t join(User& user, std::uint16_t source);
  bool shared() const { return shared_; }  // by more than one
  Counters& counters(std::uint16_t user) { return users_[user].counters; }

  // Whether the cache holds the line, which becomes the most recently used one, and dirty if
  // `dirty`.
  bool touch(const SpaceLine& line, bool dirty);
  // Puts in a line that is not here; a dirty one that had to leave is added to the list.
  void insert(std::uint16_t user, const SpaceLine& line, bool dirty, std::vector<WriteBack>& left);

  // For a fill of the line: the miss that it is to wait for. Opened if it has to be (`missed`: the
  // line was not found); kNone: the line is here. A user has one fill of a line at most.
  MissId refer(const SpaceLine& line, bool missed, std::uint16_t user, std::uint32_t fill);
  bool requested(MissId id) { return miss(id).requested; }

  // Whether this user may take an MSHR now; if not, it stands in line.
  bool ask(std::uint16_t user);
  // The user fetches the line, and has the MSHR; it then announces it to those in line, who may
  // want the same.
  void take(std::uint16_t user, MissId id);
  void announce(MissId id, std::uint16_t user, Tick now);
  // A fetched line has come: its MSHR is free. The user goes on first, and then has close() tell
  // the others who refer to it and serve() those in line.
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

  // A number that was never given, as a loaded state may hold, is a Fault.
  Miss& miss(MissId id) {
    if (id >= misses_.size()) {
      fail(id);
    }
    return misses_[id];
  }
  [[noreturn]] static void fail(MissId id);
  // Loading: recomputes what follows from the line and the misses.
  void restore(const Archive& archive);

  CacheLevelParameters parameters_;
  SetAssociative<SharedWay> content_;
  std::deque<State> users_;  // their counters stay where they are
  bool shared_ = false;
  std::int64_t free_ = 0;  // MSHRs
  Ring<std::uint16_t> line_;
  std::vector<Miss> misses_;
  std::vector<MissId> unused_;
  // The open misses and their lines, at the same index; few enough to be searched one by one.
  std::vector<SpaceLine> open_lines_;
  std::vector<MissId> open_;
};

}  // namespace hmsim
