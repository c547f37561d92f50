// SPDX-License-Identifier: BSD-3-Clause
// The threads of a job: how far each is in its program, what it waits for, and for how long.
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
  ready,       // for a core
  running,     // on one
  reading,     // an engine copies from the NVDIMM
  read_ahead,  // it uses what an engine is reading ahead
  writing,     // an engine copies to the NVDIMM
  throttled,   // too much that it wrote waits for the flushers
  syncing,
  waiting,  // for another thread to wake it
  sleeping,
  idle,  // a flusher that has nothing to write
  done,
  last = done
};
inline constexpr std::size_t kThreadStates = static_cast<std::size_t>(ThreadState::last) + 1;

// A block request whose lines a core copies.
struct CopyUnderWay {
  Transfer request;
  Tick began{0};
  void serialize(Archive& archive) { archive(request, began); }
};

struct JobThread {
  JobPlace place;
  JobRecord record;  // the step under way
  bool has_record = false;
  std::uint64_t next_line = 0;  // of the transfer that its core copies
  std::uint64_t lines = 0;      // from there on; 0: none is being copied
  std::int64_t left = 0;        // instructions until its limit
  std::int64_t copied = 0;      // of those of its record, a line of the NVDIMM, that copy
  Tick sync_began{0};           // of its last sync
  Transfer fetched_copy;        // the request that the record fetched last begins, if it does
  std::array<Ring<CopyUnderWay>, 2> copies;  // of reads, of writes, whose last line is not retired
  ThreadState state = ThreadState::done;
  Tick since{0};                              // up to when time in its state is counted
  std::array<Counter, kThreadStates> time{};  // picoseconds, by state
  Counter copying = 0;                        // of those in which it ran

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
  // Counts the time of all up to now; `counts`: what is measured counts.
  void account(Tick now, bool counts);

  // Registers, under `path`, the times that the first `threads` of them together, and, where these
  // are few, each, spent in each state.
  void register_statistics(StatisticRegistry& registry, const std::string& path,
                           std::uint32_t threads);

  void serialize(Archive& archive);

 private:
  std::vector<JobThread> threads_;
  std::array<std::size_t, kThreadStates> counts_{};
  bool counts_time_ = true;
};

}  // namespace hmsim
