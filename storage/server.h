// SPDX-License-Identifier: BSD-3-Clause
// The only queueing there is in storage: servers that serve one job after another, and slots that
// are counted. All are first come, first served, slots in turn within a line, and know how long
// they were in use.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

// Loading: a function for each(), each_waiting() and the like, which checks that an index is of a
// record in use.
inline auto each_is_one_of(const Archive& archive, std::vector<bool> in_use) {
  return [&archive, in_use = std::move(in_use)](std::uint32_t index, const auto&...) {
    archive.check(index < in_use.size() && in_use[index], "a queue holds what does not exist");
  };
}

// A number of things, and the sum over time of that number.
class Level {
 public:
  void add(std::int64_t change, Tick now) {
    account(now);
    value_ += change;
  }
  void account(Tick now) {
    sum_ += static_cast<std::uint64_t>(value_) * static_cast<std::uint64_t>((now - since_).value());
    since_ = now;
  }
  void reset(Tick now) {
    account(now);
    sum_ = 0;
    from_ = now;
  }

  std::int64_t value() const { return value_; }
  std::uint64_t sum() const { return sum_; }    // things times picoseconds, as of account()
  Tick time() const { return since_ - from_; }  // between reset() and account()
  double mean() const {                         // in that time; 0 without any
    const auto time = static_cast<double>(this->time().value());
    return time == 0 ? 0 : static_cast<double>(sum_) / time;
  }

  void serialize(Archive& archive) {
    archive(value_, sum_, since_, from_);
    archive.check(value_ >= 0, "a number of things in use is negative");  // it limits the others
  }

 private:
  std::int64_t value_ = 0;
  std::uint64_t sum_ = 0;
  Tick since_{0};
  Tick from_{0};
};

template <class Job>
class Server {
 public:
  // True: the job starts now, and its end is the owner's to schedule; otherwise it waits in line.
  bool offer(const Job& job, Tick now) {
    if (busy_.value() > 0) {
      waiting_.push(job);
      return false;
    }
    busy_.add(1, now);
    return true;
  }
  // The job that it served has ended; returns the next one, which starts now.
  std::optional<Job> end(Tick now) {
    if (waiting_.empty()) {
      busy_.add(-1, now);
      return std::nullopt;
    }
    const Job next = waiting_.front();
    waiting_.pop();
    return next;
  }

  bool busy() const { return busy_.value() > 0; }
  Level& level() { return busy_; }
  const Level& level() const { return busy_; }
  const Ring<Job>& waiting() const { return waiting_; }

  void serialize(Archive& archive) { archive(waiting_, busy_); }

 private:
  Ring<Job> waiting_;
  Level busy_;
};

// Jobs take so many slots each, in order: one that fits waits behind one that does not.
template <class Job>
class Slots {
 public:
  explicit Slots(std::int64_t count = 1) : count_(count) {}

  // True: the job has them now; otherwise it waits in line. It asks for no more than there are.
  bool take(std::int64_t slots, const Job& job, Tick now) {
    if (!waiting_.empty() || used_.value() + slots > count_) {
      waiting_.push({job, slots});
      return false;
    }
    used_.add(slots, now);
    return true;
  }
  void give(std::int64_t slots, Tick now) { used_.add(-slots, now); }
  // The first that waits, if what it asks for is free: it has that now. To be called after give()
  // until there is none.
  std::optional<Job> admit(Tick now) {
    if (waiting_.empty() || used_.value() + waiting_.front().slots > count_) {
      return std::nullopt;
    }
    const Waiting first = waiting_.front();
    waiting_.pop();
    used_.add(first.slots, now);
    return first.job;
  }

  std::int64_t count() const { return count_; }
  std::int64_t used() const { return used_.value(); }
  Level& level() { return used_; }
  const Level& level() const { return used_; }
  // see(job) for all that wait.
  template <class See>
  void each_waiting(See see) const {
    waiting_.each([&](const Waiting& each) { see(each.job); });
  }

  void serialize(Archive& archive) { archive(waiting_, used_); }

 private:
  struct Waiting {
    Job job{};
    std::int64_t slots = 0;
    void serialize(Archive& archive) { archive(job, slots); }
  };

  std::int64_t count_;
  Ring<Waiting> waiting_;
  Level used_;
};

// Jobs of several lines take a slot each: in order within a line, and lines in which jobs wait take
// turns, so that a line gets its share however few of its jobs wait at once.
template <class Job>
class SlotsInTurn {
 public:
  SlotsInTurn(std::int64_t count, std::size_t lines) : count_(count), lines_(lines) {}

  // True: the job has one now; otherwise it waits in its line.
  bool take(std::size_t line, const Job& job, Tick now) {
    if (!turns_.empty() || used() >= count_) {
      if (lines_[line].empty()) {
        turns_.push(static_cast<std::uint32_t>(line));
      }
      lines_[line].push(job);
      return false;
    }
    used_.add(1, now);
    return true;
  }
  void give(Tick now) { used_.add(-1, now); }
  // The job whose turn it is, if a slot is free: it has that now. To be called after give() until
  // there is none.
  std::optional<Job> admit(Tick now) {
    if (turns_.empty() || used() >= count_) {
      return std::nullopt;
    }
    const std::uint32_t line = turns_.front();
    turns_.pop();
    ensure(!lines_[line].empty(), "slots", now, line, "it is the turn of a line without jobs");
    const Job job = lines_[line].front();
    lines_[line].pop();
    if (!lines_[line].empty()) {
      turns_.push(line);
    }
    used_.add(1, now);
    return job;
  }

  std::int64_t used() const { return used_.value(); }
  Level& level() { return used_; }
  const Level& level() const { return used_; }
  // see(job) for all that wait.
  template <class See>
  void each_waiting(See see) const {
    for (const Ring<Job>& line : lines_) {
      line.each(see);
    }
  }

  void serialize(Archive& archive) {
    archive.fixed(lines_);
    archive(turns_, used_);
    turns_.each([&](std::uint32_t line) {
      archive.check_index(line, lines_.size(), "it is the turn of no line");
    });
  }

 private:
  std::int64_t count_;
  std::vector<Ring<Job>> lines_;
  Ring<std::uint32_t> turns_;  // lines in which jobs wait, the next one first
  Level used_;
};

// Jobs that all take the same time, side by side: they leave in the order in which they came.
template <class Job>
class Delay {
 public:
  explicit Delay(Tick delay = Tick(0)) : delay_(delay) {}

  void enter(const Job& job, Tick now) {
    line_.push({now + delay_, job});
    next_time_ = line_.front().time;
  }
  Tick next_time() const { return next_time_; }
  // The first, whose time has come.
  Job leave() {
    const Job job = line_.front().job;
    line_.pop();
    next_time_ = line_.empty() ? kNever : line_.front().time;
    return job;
  }
  // see(job) for all.
  template <class See>
  void each(See see) const {
    line_.each([&](const Entry& each) { see(each.job); });
  }

  void serialize(Archive& archive) {
    archive(line_);
    next_time_ = line_.empty() ? kNever : line_.front().time;
  }

 private:
  struct Entry {
    Tick time{0};
    Job job{};
    void serialize(Archive& archive) { archive(time, job); }
  };

  Tick delay_;
  Ring<Entry> line_;
  Tick next_time_ = kNever;  // of its first
};

// The time that so many bytes take at so much per KiB, rounded up.
inline Tick time_of(std::uint64_t bytes, Tick per_kib) {
  constexpr std::int64_t kKib = 1024;
  return Tick((static_cast<std::int64_t>(bytes) * per_kib.value() + kKib - 1) / kKib);
}

}  // namespace hmsim
