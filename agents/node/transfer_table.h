// SPDX-License-Identifier: BSD-3-Clause
// Table of a job's transfers under way, and of the threads that wait for each. A device executes
// them (agents/node/job_io.h). Their threads sleep meanwhile, except those that read ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "agents/node/write_back.h"
#include "core/archive.h"
#include "core/pool.h"
#include "core/ring.h"

namespace hmsim {

class TransferTable {
 public:
  struct Active {
    std::uint32_t thread = 0;  // sleeps until the end, unless `ahead`
    bool write = false;
    bool ahead = false;
    Tick began{0};
    Transfer lines;
    std::uint64_t parts = 0;      // device requests that have not ended
    Ring<std::uint32_t> waiting;  // ahead: threads that use the lines, in order of arrival

    bool holds(std::uint64_t line) const {
      return line >= lines.first_line && line < lines.first_line + lines.lines;
    }
    void serialize(Archive& archive) {
      archive(thread, write, ahead, began, lines, parts, waiting);
    }
  };

  // Begins a transfer of `parts` device requests. With `ahead`, it is a read whose thread
  // continues; requires may_read_ahead(). Returns its number.
  std::uint32_t begin(std::uint32_t thread, const Transfer& lines, bool write, bool ahead, Tick now,
                      std::uint64_t parts) {
    const std::uint32_t index = active_.take();
    active_[index] = {thread, write, ahead, now, lines, parts, {}};
    ahead_ += ahead ? 1 : 0;
    return index;
  }
  bool may_read_ahead() const { return ahead_ < kMostAhead; }
  // Makes the thread wait for the transfer that reads this line ahead. Returns false if no
  // transfer does.
  bool wait_for(std::uint64_t line, std::uint32_t thread) {
    for (std::uint32_t index = 0; ahead_ > 0 && index < active_.size(); ++index) {
      Active& active = active_[index];
      if (active.ahead && active.holds(line)) {
        active.waiting.push(thread);
        return true;
      }
    }
    return false;
  }
  // Records that a part of the transfer has ended. Returns whether it was the last.
  bool part_done(std::uint32_t index) { return --active_[index].parts == 0; }
  const Active& operator[](std::uint32_t index) const { return active_[index]; }
  // Removes a transfer that has ended. Calls see(thread) for each thread that waited for it, except
  // its own.
  template <class See>
  void end(std::uint32_t index, const See& see) {
    const Active ended = std::move(active_[index]);
    active_[index] = Active();
    ahead_ -= ended.ahead ? 1 : 0;
    active_.give_back(index);
    ended.waiting.each(see);
  }

  std::uint32_t size() const { return active_.size(); }  // numbers are below this
  bool idle() const { return active_.used() == 0; }
  // Calls see(thread) for the threads of all transfers, ended ones included, and for those that
  // wait for them.
  template <class See>
  void each_thread(See see) const {
    for (std::uint32_t index = 0; index < active_.size(); ++index) {
      see(active_[index].thread);
      active_[index].waiting.each(see);
    }
  }
  void serialize(Archive& archive) {
    archive(active_);
    if (archive.loading()) {
      ahead_ = 0;
      for (std::uint32_t index = 0; index < active_.size(); ++index) {
        ahead_ += active_[index].ahead ? 1 : 0;
      }
    }
  }

 private:
  static constexpr std::size_t kMostAhead = 256;  // transfers under way

  Pool<Active> active_;
  std::size_t ahead_ = 0;  // transfers under way that read ahead
};

}  // namespace hmsim
