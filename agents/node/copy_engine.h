// SPDX-License-Identifier: BSD-3-Clause
// An engine that copies transfers between memory and the NVDIMM: lines of each in ascending order,
// so many outstanding at a time. Their threads sleep meanwhile, but for those that read ahead.
//
// Of a line that is copied, the NVDIMM's half is simulated; what the engine does to memory, traces
// of misses hold as the misses that the copy itself had there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "agents/node/write_back.h"
#include "core/archive.h"
#include "core/pool.h"
#include "core/ring.h"

namespace hmsim {

class TransferEngine {
 public:
  struct Active {
    std::uint32_t thread = 0;  // that sleeps until the end, unless `ahead`
    bool write = false;
    bool ahead = false;
    Tick began{0};
    std::uint64_t first_line = 0;
    std::uint64_t lines = 0;
    std::uint64_t next_line = 0;
    std::uint64_t unsent = 0;
    std::uint64_t outstanding = 0;
    Ring<std::uint32_t> waiting;  // ahead: threads that use what it reads, in the order of coming

    bool holds(std::uint64_t line) const {
      return unsent + outstanding > 0 && line >= first_line && line < next_line + unsent;
    }
    void serialize(Archive& archive) {
      archive(thread, write, ahead, began, first_line, lines, next_line, unsent, outstanding,
              waiting);
    }
  };

  explicit TransferEngine(std::uint64_t most_outstanding) : most_(most_outstanding) {}

  // Begins a transfer; send(line, write, transfer) for each line that may go now.
  template <class Send>
  void begin(std::uint32_t thread, const Transfer& transfer, bool write, Tick now,
             const Send& send) {
    go_on(take(thread, transfer, write, now), send);
  }
  // Likewise of a read whose thread goes on. may_read_ahead() holds.
  template <class Send>
  void begin_ahead(std::uint32_t thread, const Transfer& transfer, Tick now, const Send& send) {
    const std::uint32_t index = take(thread, transfer, false, now);
    active_[index].ahead = true;
    ++ahead_;
    go_on(index, send);
  }
  // Begins a transfer, or a read ahead, that somebody else carries out in so many parts: it is
  // done when line_done() was told of each. Returns its number.
  std::uint32_t begin_in_parts(std::uint32_t thread, const Transfer& transfer, bool write,
                               bool ahead, Tick now, std::uint64_t parts) {
    const std::uint32_t index = take(thread, transfer, write, now);
    Active& active = active_[index];
    active.next_line += transfer.lines;
    active.unsent = 0;
    active.outstanding = parts;
    active.ahead = ahead;
    ahead_ += ahead ? 1 : 0;
    return index;
  }
  bool may_read_ahead() const { return ahead_ < kMostAhead; }
  // The thread is to wait until the line, which is being read ahead, has come, with all that is
  // read with it; false: it is not.
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
  // A line of the transfer is done; true: it was the last.
  template <class Send>
  bool line_done(std::uint32_t index, const Send& send) {
    --active_[index].outstanding;
    go_on(index, send);
    return active_[index].outstanding == 0;
  }
  const Active& operator[](std::uint32_t index) const { return active_[index]; }
  // The transfer's last line is done; see(thread) for all that waited for it, but its own.
  template <class See>
  void end(std::uint32_t index, const See& see) {
    const Active ended = std::move(active_[index]);
    active_[index] = Active();
    ahead_ -= ended.ahead ? 1 : 0;
    active_.give_back(index);
    ended.waiting.each(see);
  }

  std::uint32_t size() const { return active_.size(); }  // numbers lie below it
  bool idle() const { return active_.used() == 0; }
  // see(thread) for the threads of all transfers, ended ones included, and those that wait for
  // them.
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
  static constexpr std::size_t kMostAhead = 256;  // transfers at a time

  std::uint32_t take(std::uint32_t thread, const Transfer& transfer, bool write, Tick now) {
    const std::uint32_t index = active_.take();
    Active& active = active_[index];
    active.thread = thread;
    active.write = write;
    active.began = now;
    active.lines = transfer.lines;
    active.first_line = active.next_line = transfer.first_line;
    active.unsent = transfer.lines;
    return index;
  }

  template <class Send>
  void go_on(std::uint32_t index, const Send& send) {
    while (active_[index].unsent > 0 && active_[index].outstanding < most_) {
      Active& active = active_[index];
      --active.unsent;
      ++active.outstanding;
      const std::uint64_t line = active.next_line++;
      send(line, active.write, index);
    }
  }

  std::uint64_t most_;
  Pool<Active> active_;
  std::size_t ahead_ = 0;  // of them, those that read ahead
};

}  // namespace hmsim
