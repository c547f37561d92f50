// SPDX-License-Identifier: BSD-3-Clause
// Steps of the threads of a job, in order: last-level cache misses, transfers between memory and
// the NVDIMM, and synchronisation between threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "traces/trace_formats.h"

namespace hmsim {

inline constexpr Tick kLongestSleep = 3'600 * kSecond;
inline constexpr std::uint64_t kMostTransferLines = std::uint64_t{1} << 22;
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 40;

// Kinds of steps.
enum class JobAction : std::uint8_t {
  miss,        // last-level cache miss
  read,        // copies lines of the NVDIMM to memory
  read_ahead,  // as read, but without waiting: the first use waits
  use,         // waits until first_line is in memory, if it is being read ahead
  write,       // copies lines of memory to the NVDIMM
  sync,        // waits until all data that the job wrote is durable
  wait,        // waits for one wake of the event that no earlier wait consumed
  wake,
  send,  // wakes an event in another task when the message arrives
  sleep,
  end,  // end of the thread
  last = end
};

// One step of a thread.
struct JobRecord {
  JobAction action = JobAction::end;
  std::int64_t gap = 0;  // instructions since the previous step; includes a miss's own instruction
  Miss miss;             // its own gap is ignored
  std::uint64_t first_line = 0;  // first NVDIMM line of a transfer or a use
  std::uint64_t lines = 0;       // number of lines: 1 .. kMostTransferLines
  std::uint32_t event = 0;
  std::uint32_t task = 0;   // destination of a send
  std::uint64_t bytes = 0;  // size of a message: 1 .. kMostMessageBytes
  Tick time{0};             // duration of a sleep
  // For a captured program whose copies stay misses: start and end of the copy of a block request.
  // `copies`: if this miss copies the first line of a request, the number of the request's lines;
  // otherwise 0.
  std::uint64_t copies = 0;
  bool ends_copy = false;            // this miss copies the request's last line
  std::array<bool, 2> copy_ended{};  // the previous record ended a read's [0] or a write's [1] copy

  void serialize(Archive& archive) {
    archive(action, gap, miss, first_line, lines, event, task, bytes, time);
    archive(copies, ends_copy, copy_ended);
    const bool transfers =
        action == JobAction::read || action == JobAction::read_ahead || action == JobAction::write;
    archive.check(gap >= 0, "step of a thread before the preceding one");
    archive.check(!transfers || (lines >= 1 && lines <= kMostTransferLines),
                  "invalid length of a thread's transfer");
  }
};

// A thread's position in its program. Only the program interprets it; others store it.
struct JobPlace {
  std::uint32_t thread = 0;
  std::uint64_t record = 0;  // number of the next record
  // NVDIMM lines read [0] or written [1] before this record belong to a transfer, or to the copy of
  // a block request, that a record before the place began.
  std::array<std::uint64_t, 2> copied_to{};

  void serialize(Archive& archive) { archive(record, copied_to); }  // all but `thread`
};

// Maximum length of a transfer, and maximum number of instructions between two of its lines in a
// trace of misses.
struct TransferLimits {
  std::uint64_t lines = 1;
  std::int64_t gap = 0;
};

// Steps of all threads of a job. Readers hold places in it.
class JobProgram {
 public:
  virtual ~JobProgram() = default;
  virtual std::uint32_t threads() const = 0;
  virtual std::string name_of(std::uint32_t thread) const = 0;
  // Returns the number of events. Events are numbered from 0 to events() - 1.
  virtual std::uint32_t events() const = 0;
  virtual std::string event_name(std::uint32_t event) const = 0;
  virtual bool has_nvdimm() const = 0;
  // Returns whether the threads are those of a whole machine. They then include the threads that
  // write back dirty pages, so the job needs no flushers, and all of them end together with the
  // part of the program that is run.
  virtual bool is_whole_machine() const { return false; }
  // Finds the NVDIMM pages known to be written before the program began, most recent first. Throws
  // InputError.
  virtual std::vector<std::uint64_t> written_before() { return {}; }
  // Returns whether the thread is part of the task. By default every thread is part of every task.
  virtual bool runs_in(std::uint32_t /*thread*/, std::uint32_t /*task*/) const { return true; }
  // Throws InputError unless the program fits a job of `tasks` tasks.
  virtual void require_task_count(std::uint64_t /*tasks*/) const {}
  // Returns the thread's position at its first record.
  virtual JobPlace begin(std::uint32_t thread) const = 0;
  // Reads a record and advances the place. Returns JobAction::end at the thread's end. Throws
  // InputError.
  virtual JobRecord next(JobPlace& place) = 0;
  // Returns the share of the thread before the place, or 0 if unknown.
  virtual double fraction(const JobPlace& place) const = 0;
  // Describes the position of the record before the place, for messages.
  virtual std::string where(const JobPlace& place) const = 0;
  // When loading, checks that the place lies within its thread. The thread is one of the program's.
  virtual void check(const Archive& archive, const JobPlace& place) = 0;
};

}  // namespace hmsim
