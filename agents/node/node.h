// SPDX-License-Identifier: BSD-3-Clause
// A node: cores, and the threads of jobs that are ready to run on them.
//
// A thread runs on any of its job's cores. One that becomes ready takes the free core that nobody
// has had since it ran there, else the free one of the lowest number; else it waits. One that was
// asleep goes before those that were not, and, unless waking only queues, takes the core of the
// thread that has had one for longest. A core that becomes free takes, of the threads that may run
// on it, the first of those that were asleep, or else the one that has waited longest.
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

enum class StintEnd {
  goes_on,  // at once, on the same core
  yields,   // it is ready, but lets others go first that are so, too
  waits     // for what its job will tell
};

class Node;

// What people call a thread.
struct ThreadName {
  std::size_t agent = 0;            // its job's, in the workload
  std::optional<std::size_t> task;  // none: a flusher's
  std::string name;                 // in the program, where several may share one
};

// A job as its nodes see it.
class NodeJob {
 public:
  virtual ~NodeJob() = default;
  // The core copies a block request: its first line is dispatched at `now`. Called before the next
  // record is fetched.
  virtual void copy_began(std::uint32_t thread, bool write, Tick now) = 0;
  // The last line of the thread's oldest such request in that direction retires at `ended`.
  virtual void copy_ended(std::uint32_t thread, bool write, Tick ended) = 0;
  virtual void stint_begins(std::uint32_t thread, Tick now) = 0;
  // The stint is over.
  virtual StintEnd stint_ended(std::uint32_t thread, const Stint& stint, Tick now) = 0;
  virtual MissCore::AddressSpace space(std::uint32_t thread) const = 0;
  virtual std::uint32_t thread_count() const = 0;
  // Whether the thread is one of those that run there.
  virtual bool runs_on(std::uint32_t thread, const Node& node) const = 0;
  virtual ThreadState state_of(std::uint32_t thread) const = 0;
  virtual ThreadName name_of(std::uint32_t thread) const = 0;
  virtual std::size_t agent() const = 0;  // its number in the workload
  // Software of its request, which waited, has a core from now on.
  virtual void core_granted(std::uint32_t io, Tick now) = 0;
};

class Node {
 public:
  // Cores in ascending order of their numbers.
  Node(FrontendParameters defaults, const std::vector<JobCore>& cores);

  std::size_t size() const { return cores_.size(); }
  NodeCore& core(std::size_t index) { return *cores_[index]; }
  const NodeCore& core(std::size_t index) const { return *cores_[index]; }

  // A job whose threads run on these cores. Returns its number.
  std::uint16_t join(NodeJob& job, ThreadSteps& steps, const std::vector<JobCore>& cores);
  std::uint16_t jobs() const { return static_cast<std::uint16_t>(jobs_.size()); }
  NodeJob& job(std::uint16_t number) { return *jobs_[number].job; }
  NodeJob& job(const ThreadId& thread) { return job(thread.job); }
  ThreadSteps& steps(const ThreadId& thread) { return *jobs_[thread.job].steps; }
  // It is ready; `woken`: it was asleep.
  void ready(const ThreadId& thread, bool woken, Tick now);
  // A core's thread waits for something, or yields: the core takes another, if there is one.
  void core_is_free(NodeCore& core, Tick now) { take_next(core, now); }
  void yielded(NodeCore& core, const ThreadId& thread, Tick now);
  // Software of a job's request needs a core, preferably that where the thread for which it runs
  // was last. True: it has one, until release(); otherwise it is the next to get one, before all
  // threads, and preempts the one that has had one for longest.
  bool hold(const SoftwareId& software, const ThreadId& on_behalf, Tick now);
  void release(const SoftwareId& software, Tick now);
  // Nodes, this one among them, that have the same memory. By default this one alone.
  void share_memory(std::vector<Node*> nodes) { sharers_ = std::move(nodes); }
  // One of the cores stores to the line: none that has the same memory keeps a copy.
  void stored(MemoryClass memory, Address address);
  // Tells what threads do, beginning with the state of each now. The observer outlives the node's
  // last step.
  void watch(ThreadObserver& observer, Tick now);
  ThreadObserver* observer() const { return observer_; }  // nullptr: there is none
  // Work of a job's stints that are under way.
  std::int64_t work_under_way(std::uint16_t job, Tick now) const;

  void serialize(Archive& archive);
  void check_thread(const Archive& archive, const ThreadId& thread) const;

 private:
  struct Waiting {
    std::uint32_t thread = 0;
    std::uint64_t order = 0;  // among those of all jobs
    void serialize(Archive& archive) { archive(thread, order); }
  };
  struct Job {
    NodeJob* job = nullptr;
    ThreadSteps* steps = nullptr;
    std::vector<bool> uses;  // by core's index
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
