// SPDX-License-Identifier: BSD-3-Clause
// A log of what threads of jobs do when, in columns, which are kept until somebody takes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/node/node.h"
#include "agents/node/thread_observer.h"

namespace hmsim {

class ThreadLog final : public ThreadObserver {
 public:
  static constexpr std::size_t kColumns = 8;
  // A row is a time in which a thread was in one state. `agent`: its job; `thread`: its number
  // there; `task`: -1 for flushers; `name`: an index of names(); `state`: a ThreadState other than
  // idle and done, or kCopying; `core`: that it ran on, or -1. Rows of a thread come in order of
  // time.
  static const std::array<const char*, kColumns> kNames;
  static constexpr auto kCopying = static_cast<std::int64_t>(kThreadStates);  // while it runs
  using Columns = std::array<std::vector<std::int64_t>, kColumns>;

  // Keeps so many rows in all, and nothing that comes after them.
  explicit ThreadLog(std::int64_t rows) : limit_(rows) {}

  // Logs what the nodes' threads do from now on, for as long as they live. Again: it goes on with
  // what a checkpoint says that they do.
  void watch(const std::vector<Node*>& nodes, Tick now);
  // Ends what threads are doing, and the log.
  void end(Tick now);

  std::size_t rows() const { return columns_.front().size(); }
  bool full() const { return full_; }
  Columns take();  // all rows
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
    Tick copied_to{0};  // when it copies: as far as was told
  };

  void add(const NodeJob& job);
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
  std::map<std::size_t, std::size_t> first_;  // of each job's, by its agent, in threads_
  Columns columns_;
};

}  // namespace hmsim
