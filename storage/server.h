// SPDX-License-Identifier: BSD-3-Clause
// Queueing primitives of the storage models: servers, which serve one job at a time, and counted
// slots. All are FIFO (slots in turn: FIFO within each line), and measure how long they were in
// use.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// On load, returns a function for each(), each_waiting() and similar, which checks that an index
// names a record in use.
inline auto each_is_one_of(const Archive& archive, std::vector<bool> in_use) {
  return [&archive, in_use = std::move(in_use)](std::uint32_t index, const auto&...) {
    archive.check(index < in_use.size() && in_use[index], "invalid entry of a queue");
  };
}

template <class Job>
class Server {
 public:
  // Returns true if the job starts now; the owner schedules its end. Otherwise the job queues.
  bool offer(const Job& job, Tick now) {
    if (busy_.value() > 0) {
      waiting_.push(job);
      return false;
    }
    busy_.add(1, now);
    return true;
  }
  // Ends the current job. Returns the next job, which starts now.
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

// Pool of slots. Each job takes a given number of slots. Strictly FIFO: while the oldest job waits,
// later jobs wait as well, even if enough slots are free for them.
template <class Job>
class Slots {
 public:
  explicit Slots(std::int64_t count = 1) : count_(count) {}

  // Returns true if the job has its slots now; otherwise it queues. `slots` is at most count().
  bool acquire(std::int64_t slots, const Job& job, Tick now) {
    if (!waiting_.empty() || used_.value() + slots > count_) {
      waiting_.push({job, slots});
      return false;
    }
    used_.add(slots, now);
    return true;
  }
  void release(std::int64_t slots, Tick now) { used_.add(-slots, now); }
  // Grants the first waiting job its slots if they are free, and returns the job. After release(),
  // call admit() until it returns nullopt, because several jobs may fit.
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
  // Calls see(job) for each waiting job.
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

// Pool of slots of several queues, one slot a job. Jobs are served FIFO within a queue, and
// round-robin over queues with waiting jobs, so that a queue gets its share even if few of its jobs
// wait at a time.
template <class Job>
class SlotsInTurn {
 public:
  SlotsInTurn(std::int64_t count, std::size_t queues) : count_(count), queues_(queues) {}

  // Returns true if the job has a slot now; otherwise it waits in its queue.
  bool acquire(std::size_t queue, const Job& job, Tick now) {
    if (!turns_.empty() || used() >= count_) {
      if (queues_[queue].empty()) {
        turns_.push(static_cast<std::uint32_t>(queue));
      }
      queues_[queue].push(job);
      return false;
    }
    used_.add(1, now);
    return true;
  }
  void release(Tick now) { used_.add(-1, now); }
  // Grants a free slot to the queue whose turn it is, and returns that queue's first job. Call
  // after release() until it returns nullopt.
  std::optional<Job> admit(Tick now) {
    if (turns_.empty() || used() >= count_) {
      return std::nullopt;
    }
    const std::uint32_t queue = turns_.front();
    turns_.pop();
    ensure(!queues_[queue].empty(), "slots", now, queue, "turn of a queue without jobs");
    const Job job = queues_[queue].front();
    queues_[queue].pop();
    if (!queues_[queue].empty()) {
      turns_.push(queue);
    }
    used_.add(1, now);
    return job;
  }

  std::int64_t used() const { return used_.value(); }
  Level& level() { return used_; }
  const Level& level() const { return used_; }
  // Calls see(job) for each waiting job.
  template <class See>
  void each_waiting(See see) const {
    for (const Ring<Job>& queue : queues_) {
      queue.each(see);
    }
  }

  void serialize(Archive& archive) {
    archive.fixed(queues_);
    archive(turns_, used_);
    turns_.each([&](std::uint32_t queue) {
      archive.check_index(queue, queues_.size(), "turn without a queue");
    });
  }

 private:
  std::int64_t count_;
  std::vector<Ring<Job>> queues_;
  Ring<std::uint32_t> turns_;  // queues with waiting jobs, the next one first
  Level used_;
};

// Fixed delay for any number of jobs at once; they leave in order of arrival.
template <class Job>
class Delay {
 public:
  explicit Delay(Tick delay = Tick(0)) : delay_(delay) {}

  void enter(const Job& job, Tick now) {
    line_.push({now + delay_, job});
    next_time_ = line_.front().time;
  }
  Tick next_time() const { return next_time_; }
  // Removes and returns the first job, whose time has come.
  Job leave() {
    const Job job = line_.front().job;
    line_.pop();
    next_time_ = line_.empty() ? kNever : line_.front().time;
    return job;
  }
  // Calls see(job) for each job.
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
  Tick next_time_ = kNever;  // of its first job
};

// Returns the time for `bytes` at `per_kib` per KiB, rounded up.
inline Tick time_of(std::uint64_t bytes, Tick per_kib) {
  constexpr std::int64_t kKib = 1024;
  return Tick((static_cast<std::int64_t>(bytes) * per_kib.value() + kKib - 1) / kKib);
}

}  // namespace hmsim
