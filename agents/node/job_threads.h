// SPDX-License-Identifier: BSD-3-Clause
// Threads of a job: the place of each in its program, what it waits for, and for how long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/node/write_back.h"
#include "core/archive.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "core/types.h"
#include "traces/job_program.h"

namespace hmsim {

enum class ThreadState : std::uint8_t {
  ready,       // queued for a core
  running,     // on a core
  reading,     // an engine copies from the NVDIMM
  read_ahead,  // waits for lines that an engine reads ahead
  writing,     // an engine copies to the NVDIMM
  throttled,   // too many lines wait for its node's flushers
  syncing,
  waiting,  // for another thread to wake it
  sleeping,
  idle,  // a flusher without work
  done,
  last = done
};
inline constexpr std::size_t kThreadStates = static_cast<std::size_t>(ThreadState::last) + 1;

// Block request whose lines a core copies.
struct CopyUnderWay {
  Transfer request;
  Tick began{0};
  void serialize(Archive& archive) { archive(request, began); }
};

struct JobThread {
  JobPlace place;
  JobRecord record;  // current step
  bool has_record = false;
  std::uint64_t next_line = 0;         // of the transfer that its core copies
  std::uint64_t lines = 0;             // of that transfer still to be copied; 0: no copy
  std::int64_t left = 0;               // instructions to its limit
  std::int64_t copy_instructions = 0;  // instructions of its record that copy an NVDIMM line
  Tick sync_began{0};                  // start of its last sync
  Transfer fetched_copy;               // block request that the last fetched record begins, if any
  // Reads, writes: requests whose last line is not retired.
  std::array<Ring<CopyUnderWay>, 2> copies;
  ThreadState state = ThreadState::done;
  Tick since{0};                              // time in its state is counted up to here
  std::array<Counter, kThreadStates> time{};  // picoseconds, by state
  Counter copying = 0;                        // running time spent copying

  void serialize(Archive& archive);
};

class JobThreads {
 public:
  void resize(std::size_t threads) {
    threads_.resize(threads);
    counts_[static_cast<std::size_t>(ThreadState::done)] = threads;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(threads_.size()); }
  JobThread& operator[](std::uint32_t thread) { return threads_[thread]; }
  const JobThread& operator[](std::uint32_t thread) const { return threads_[thread]; }

  void enter(std::uint32_t thread, ThreadState state, Tick now);
  std::size_t count(ThreadState state) const { return counts_[static_cast<std::size_t>(state)]; }
  // Counts the time of all threads up to `now`. With `counts` false, later time is not counted.
  void account(Tick now, bool counts);

  // Registers, under `path`, the time spent in each state: the sum over the first `threads` threads
  // and, if these are few, each one's.
  void register_statistics(StatisticRegistry& registry, const std::string& path,
                           std::uint32_t threads);

  void serialize(Archive& archive);

 private:
  void count_time(JobThread& thread, Tick now) const;

  std::vector<JobThread> threads_;
  std::array<std::size_t, kThreadStates> counts_{};
  bool counts_time_ = true;
};

}  // namespace hmsim
