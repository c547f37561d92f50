// SPDX-License-Identifier: BSD-3-Clause
// What the threads of a job do, in their order: misses of the last-level cache, transfers between
// memory and the NVDIMM, and what makes them wait for each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "traces/trace_formats.h"

namespace hmsim {

class Archive;

inline constexpr Tick kLongestSleep = 3'600 * kSecond;
inline constexpr std::uint64_t kMostTransferLines = std::uint64_t{1} << 22;
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 40;

enum class JobAction : std::uint8_t {
  miss,        // of the last-level cache
  read,        // lines of the NVDIMM are copied to memory
  read_ahead,  // likewise, and the thread needs them only when it, or another, uses them
  use,         // until first_line is in memory, if it is being read ahead
  write,       // lines of memory are copied to the NVDIMM
  sync,        // until all that the job wrote is durable
  wait,        // until the event was woken once more than it was waited for
  wake,
  send,  // wake in another task, when a message has got there
  sleep,
  end,  // the thread has ended
  last = end
};

// A step of a thread.
struct JobRecord {
  JobAction action = JobAction::end;
  std::int64_t gap = 0;          // instructions since the step before; a miss's own one included
  Miss miss;                     // its own gap counts for nothing
  std::uint64_t first_line = 0;  // of the NVDIMM, of a transfer or a use
  std::uint64_t lines = 0;       // of one: 1 .. kMostTransferLines
  std::uint32_t event = 0;
  std::uint32_t task = 0;   // to which one sends
  std::uint64_t bytes = 0;  // of a message: 1 .. kMostMessageBytes
  Tick time{0};             // of a sleep
  // Of a captured program whose copies stay misses: where the copy of a block request begins and
  // ends. `copies`: the lines of the request whose first one this miss copies; 0: none.
  std::uint64_t copies = 0;
  bool ends_copy = false;            // this miss copies the request's last line
  std::array<bool, 2> copy_ended{};  // the record before was the last line of one that is read,
                                     // [0], or written, [1]

  void serialize(Archive& archive);
};

// A thread's place in its program. Places are the program's: others only keep them.
struct JobPlace {
  std::uint32_t thread = 0;
  std::uint64_t record = 0;  // the next one
  // Lines of the NVDIMM that are read, [0], or written, [1], before this record belong to a
  // transfer, or to the copy of a request, that a record before the place has begun.
  std::array<std::uint64_t, 2> taken_to{};

  void serialize(Archive& archive);  // all but the thread
};

// The longest transfer, and the most instructions between two of its lines in a trace of misses.
struct TransferLimits {
  std::uint64_t lines = 1;
  std::int64_t gap = 0;
};

class JobProgram {
 public:
  virtual ~JobProgram() = default;
  virtual std::uint32_t threads() const = 0;
  virtual std::string name_of(std::uint32_t thread) const = 0;
  // Events are numbered from 0 to events() - 1.
  virtual std::uint32_t events() const = 0;
  virtual std::string event_name(std::uint32_t event) const = 0;
  virtual bool has_nvdimm() const = 0;
  // Whether its threads are those of a whole machine: they write back by themselves what others
  // wrote to memory, and end together, with the part of the program that is run.
  virtual bool is_a_machine() const { return false; }
  // Pages of the NVDIMM that were written before it began, as far as that is known: that written
  // last comes first.
  virtual std::vector<std::uint64_t> written_before() const { return {}; }
  // Whether the thread is part of the task, as most are of all.
  virtual bool runs_in(std::uint32_t /*thread*/, std::uint32_t /*task*/) const { return true; }
  // Throws InputError unless so many tasks are as many as it names.
  virtual void check_tasks(std::uint64_t /*tasks*/) const {}
  // The thread's first record.
  virtual JobPlace begin(std::uint32_t thread) const = 0;
  // Reads a record, JobAction::end at the thread's end, and goes on behind it. Throws InputError.
  virtual JobRecord next(JobPlace& place) = 0;
  // How much of the thread lies before the place; 0 where that is not known.
  virtual double fraction(const JobPlace& place) const = 0;
  // Where the record before the place stands, for messages.
  virtual std::string where(const JobPlace& place) const = 0;
  // Loading: the place, whose thread is one of the program's, is in it.
  virtual void check(const Archive& archive, const JobPlace& place) = 0;
};

}  // namespace hmsim
