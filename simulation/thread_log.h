// SPDX-License-Identifier: BSD-3-Clause
// Log of the states of jobs' threads over time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/node/node.h"
#include "agents/node/thread_observer.h"
#include "simulation/log_table.h"

namespace hmsim {

class ThreadLog final : public ThreadObserver, public LogTable<8> {
 public:
  // Names of the columns. A row is an interval in which a thread was in one state. `agent`: its
  // job. `thread`: its number there. `task`: -1 for flushers. `name`: an index of names(). `state`:
  // a ThreadState other than idle and done, or kCopying. `core`: where it ran, or -1. Rows of a
  // thread are in time order.
  static constexpr std::array kNames{"begin_ps", "end_ps", "agent", "thread",
                                     "task",     "name",   "state", "core"};
  static constexpr auto kCopying = static_cast<std::int64_t>(kThreadStates);  // while it runs

  // Keeps at most `rows` rows and ignores what follows.
  explicit ThreadLog(std::int64_t rows) : limit_(rows) {}

  // Logs the nodes' threads from now on. The log must outlive their last step. After a
  // checkpoint was loaded, another call continues with the loaded states.
  void watch(const std::vector<Node*>& nodes, Tick now);
  // Closes the present state of all threads, and the log.
  void end(Tick now);

  bool full() const { return full_; }
  const std::vector<std::string>& names() const { return names_; }

  void on_run(const SeenThread& thread, std::int64_t core, Tick now) override;
  void on_state(const SeenThread& thread, ThreadState state, Tick now) override;
  void on_copy(const SeenThread& thread, Tick begin, Tick end) override;

 private:
  struct Thread {
    std::int64_t agent = 0;
    std::int64_t thread = 0;
    std::int64_t task = 0;
    std::int64_t name = 0;
    std::int64_t state = static_cast<std::int64_t>(ThreadState::done);
    std::int64_t core = -1;
    Tick begin{0};      // of its present state
    Tick copied_to{0};  // when copying: end of the copying reported so far
  };

  void add_threads(const NodeJob& job);
  Thread& find(const SeenThread& id) { return threads_[first_.at(id.agent) + id.thread]; }
  void enter(const SeenThread& id, std::int64_t state, std::int64_t core, Tick now);
  void close(Thread& thread, Tick now);
  void write(const Thread& thread, Tick end);
  void end_if_full(Tick now);

  std::int64_t limit_;
  std::int64_t written_ = 0;
  bool full_ = false;
  bool ended_ = false;
  std::vector<std::string> names_;
  std::vector<Thread> threads_;
  // Index in threads_ of each job's first thread, by agent.
  std::map<std::size_t, std::size_t> first_;
};

}  // namespace hmsim
