// SPDX-License-Identifier: BSD-3-Clause
// Core of a node: runs threads of jobs, one slice after another.
//
// A slice is a pass of the core's window. It begins with an empty window, and ends when everything
// that the thread does before it waits, or before its quantum ends, is retired. A core that
// switches threads first takes the switch time.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/core/miss_core.h"
#include "agents/node/slice_copies.h"

namespace hmsim {

class Node;

// Thread: its number in its job, and the job's number on the node.
struct ThreadId {
  std::uint16_t job = 0;
  std::uint32_t thread = 0;

  friend bool operator==(const ThreadId& a, const ThreadId& b) {
    return a.job == b.job && a.thread == b.thread;
  }
  void serialize(Archive& archive) { archive(job, thread); }
};

// Software that runs for a request of a job: the job's number on the node, and the request's
// number.
struct SoftwareId {
  std::uint16_t job = 0;
  std::uint32_t io = 0;

  friend bool operator==(const SoftwareId& a, const SoftwareId& b) {
    return a.job == b.job && a.io == b.io;
  }
  void serialize(Archive& archive) { archive(job, io); }
};

// Result of a slice.
struct TimeSlice {
  std::int64_t work = 0;   // instructions of the program, except those that copy lines
  Tick copying{0};         // time spent copying lines
  bool preempted = false;  // it ended before the thread's next step
};

class NodeCore final : public Agent, private MissCore::Owner {
 public:
  NodeCore(const FrontendParameters& defaults, std::int64_t core, Node& node);

  const std::optional<ThreadId>& thread() const { return thread_; }  // running on the core
  std::optional<ThreadId> last_thread() const { return last_; }
  const std::optional<SoftwareId>& software() const { return software_; }  // holding the core
  bool is_free() const { return !thread_ && !software_; }
  // Gives the free core to software until release(), without time limit. Software is not a thread:
  // it needs no switch time and is not preempted.
  void hold(const SoftwareId& software, Tick now);
  void release(Tick now);
  // Runs a thread from now on. The core is free, and NodeJob::slice_begins() was called.
  void run(const ThreadId& thread, Tick now);

  // Makes the thread yield as soon as possible: between two instructions, or after a transfer.
  void preempt(Tick now);
  Tick slice_begin() const { return slice_begin_; }
  // Returns whether preempt() can have an effect: the thread has begun to run and is not about to
  // yield.
  bool preemptible(Tick now) const { return thread_ && !yields_soon_ && first_slot_at_ <= now; }

  // Returns the retired instructions of the present slice up to `now`, except those that copy
  // lines.
  std::int64_t slice_work(Tick now) const { return copies_.work(now); }
  // Drops the prefetched copy of a line, if there is one. Call after a store to the line.
  void give_up_copy(MemoryClass memory, Address address) { engine_.give_up_copy(memory, address); }

  AgentTraits traits() const override { return {"instructions", parameters_.frequency, true}; }
  Tick next_event() const override { return engine_.next_event(); }
  Tick advance(Tick now) override { return engine_.advance(now); }
  void on_taken(const Request& request, Tick now) override { engine_.on_taken(request, now); }
  void on_admit(const Request& request, Tick now) override { engine_.on_admit(request, now); }
  std::int64_t work(Tick now) const override { return done_ + slice_work(now); }
  void account(Tick now) override;
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;

  Counter busy() const { return busy_; }  // picoseconds in which a thread or software held it

 private:
  // Source of the records of the running thread.
  class Feed final : public MissSource {
   public:
    explicit Feed(NodeCore& core) : core_(core) {}
    bool next(Miss& miss) override { return core_.feed(miss); }
    void rewind() override {}
    double fraction() const override { return 0; }
    void serialize(Archive& /*archive*/) override {}

   private:
    NodeCore& core_;
  };

  void prepare() override;
  void restart_limit(Tick /*now*/) override {}
  double pass_fraction(Tick /*now*/) const override { return 0; }
  void handle_completion(const Request& request, Tick now) override {
    engine_.on_complete(request, now);
  }
  void serialize_state(Archive& archive) override;
  void pass_ended(std::int64_t slot, Tick now) override;
  void dispatched(std::int64_t number, std::int64_t slot) override;
  void stored(MemoryClass memory, Address address) override;

  bool feed(Miss& miss);
  void begin_slice(std::int64_t slot);

  Node& node_;
  CoreParameters parameters_;
  MissCore::Settings settings_;
  MissCore engine_;
  SliceCopies copies_;
  Tick quantum_;
  Tick switch_time_;
  std::optional<ThreadId> thread_;
  std::optional<ThreadId> last_;
  std::optional<SoftwareId> software_;
  Tick slice_begin_{0};           // when the thread took the core
  Tick first_slot_at_{0};         // when it began to run, after the switch
  bool yields_soon_ = false;      // preempt() was called in this slice
  bool preempted_ = false;        // the slice ends before the thread's next step
  std::int64_t quantum_end_ = 0;  // slot
  std::int64_t done_ = 0;         // work of completed slices
  Tick counted_to_{0};            // time is counted up to here
  Counter busy_ = 0;              // picoseconds
  Counter software_time_ = 0;     // of that, held by software
  Counter switches_ = 0;
};

}  // namespace hmsim
