// SPDX-License-Identifier: BSD-3-Clause
// Node: cores, and the threads of jobs that are ready to run on them.
//
// A thread runs on any of its job's cores. A ready thread prefers the idle core that it last ran
// on, if no other thread has run there since. Otherwise it takes the lowest-numbered idle core. If
// none is idle, it queues. A thread that was asleep queues ahead of those that were not and, with
// WakeUp::preempts, preempts the thread that has run longest on one of its job's cores. A core that
// becomes free takes waiting software first, then the first thread that was asleep, and then the
// thread that has waited longest. It considers only software and threads of jobs that may use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/agent_placement.h"
#include "agents/node/job_threads.h"
#include "agents/node/node_core.h"
#include "core/archive.h"
#include "core/ring.h"

namespace hmsim {

class ThreadObserver;

enum class SliceEnd {
  continues,  // at once on the same core
  yields,     // stays ready, after the other ready threads
  waits       // until its job makes it ready
};

class Node;

// Name of a thread for users.
struct ThreadName {
  std::size_t agent = 0;            // position of its job in the workload
  std::optional<std::size_t> task;  // nullopt: a flusher
  std::string name;                 // in the program; several threads may share it
};

// Interface of a job to the nodes that run its threads.
class NodeJob {
 public:
  virtual ~NodeJob() = default;
  // Called when a core begins to copy a block request: the first line is dispatched at `now`, and
  // the thread's next record is not fetched yet.
  virtual void copy_began(std::uint32_t thread, bool write, Tick now) = 0;
  // Called when the thread's oldest copy in that direction ends: its last line retires at `ended`.
  virtual void copy_ended(std::uint32_t thread, bool write, Tick ended) = 0;
  virtual void slice_begins(std::uint32_t thread, Tick now) = 0;
  // Called when the slice is over. Returns how the thread continues.
  virtual SliceEnd slice_ended(std::uint32_t thread, const TimeSlice& slice, Tick now) = 0;
  virtual MissCore::AddressSpace space(std::uint32_t thread) const = 0;
  virtual std::uint32_t thread_count() const = 0;
  // Returns whether the thread runs on `node`.
  virtual bool runs_on(std::uint32_t thread, const Node& node) const = 0;
  virtual ThreadState state_of(std::uint32_t thread) const = 0;
  virtual ThreadName name_of(std::uint32_t thread) const = 0;
  virtual std::size_t agent() const = 0;  // position in the workload
  // Grants a core to the software of request `io`, which was waiting for one.
  virtual void core_granted(std::uint32_t io, Tick now) = 0;
};

class Node {
 public:
  // `cores`: in ascending order of their numbers.
  Node(FrontendParameters defaults, const std::vector<JobCore>& cores);

  std::size_t size() const { return cores_.size(); }
  NodeCore& core(std::size_t index) { return *cores_[index]; }
  const NodeCore& core(std::size_t index) const { return *cores_[index]; }

  // Adds a job whose threads run on these cores. Returns its number.
  std::uint16_t join(NodeJob& job, ThreadSteps& steps, const std::vector<JobCore>& cores);
  std::uint16_t jobs() const { return static_cast<std::uint16_t>(jobs_.size()); }
  NodeJob& job(std::uint16_t number) { return *jobs_[number].job; }
  NodeJob& job(const ThreadId& thread) { return job(thread.job); }
  ThreadSteps& steps(const ThreadId& thread) { return *jobs_[thread.job].steps; }
  // Runs or queues a thread that is ready. `woken`: it was asleep.
  void ready(const ThreadId& thread, bool woken, Tick now);
  // Called when a core's thread waits or yields. The core takes another thread, if there is one.
  void core_is_free(NodeCore& core, Tick now) { take_next(core, now); }
  void yielded(NodeCore& core, const ThreadId& thread, Tick now);
  // Requests a core for the software of a job's request, by preference the idle core where thread
  // `on_behalf` last ran. Returns true if the software has a core, until release_core(). Otherwise
  // the software queues ahead of all threads, and preempts `on_behalf`, if it runs, or the thread
  // that has run longest.
  bool acquire_core(const SoftwareId& software, const ThreadId& on_behalf, Tick now);
  void release_core(const SoftwareId& software, Tick now);
  // Sets the nodes, including this one, that share one memory. The default is this node alone.
  void share_memory(std::vector<Node*> nodes) { sharers_ = std::move(nodes); }
  // Drops prefetched copies of a line in all cores that share the memory, after a store to it.
  void stored(MemoryClass memory, Address address);
  // Reports what threads do to the observer, starting with the present state of each. The observer
  // outlives the node's last step.
  void watch(ThreadObserver& observer, Tick now);
  ThreadObserver* observer() const { return observer_; }  // nullptr: none
  // Returns the instructions retired by `now` in the present slices of a job's threads on this
  // node, except those that copy lines.
  std::int64_t work_under_way(std::uint16_t job, Tick now) const;

  void serialize(Archive& archive);
  void check_thread(const Archive& archive, const ThreadId& thread) const;

 private:
  struct Waiting {
    std::uint32_t thread = 0;
    std::uint64_t order = 0;  // over all jobs
    void serialize(Archive& archive) { archive(thread, order); }
  };
  struct Job {
    NodeJob* job = nullptr;
    ThreadSteps* steps = nullptr;
    std::vector<bool> uses;  // by index of the core
    Ring<Waiting> software;  // by request
    Ring<Waiting> woken;
    Ring<Waiting> waiting;
  };
  using Queue = Ring<Waiting> Job::*;

  bool take_next(NodeCore& core, Tick now);
  bool take_next(NodeCore& core, Queue queue, Tick now);
  Job* first_of(const NodeCore& core, Queue queue);
  void preempt_for(const ThreadId& thread, Tick now);
  NodeCore* free_core(const ThreadId& thread);
  void run(NodeCore& core, const ThreadId& thread, Tick now);

  bool wakes_preempt_;
  std::vector<std::unique_ptr<NodeCore>> cores_;
  std::vector<Node*> sharers_{this};
  std::vector<Job> jobs_;
  std::uint64_t next_order_ = 0;
  ThreadObserver* observer_ = nullptr;
};

}  // namespace hmsim
