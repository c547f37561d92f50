// SPDX-License-Identifier: BSD-3-Clause
// How a driver carries out requests: flushes, and pages copied line by line.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/block/block_driver.h"
#include "agents/block/block_threads.h"
#include "agents/frontend_parameters.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// An action is what a thread does when it has sent all the accesses that it can.
//   wait   nothing, until something that it waits for has ended
//   pause  nothing for some time
//   flush  sends a flush, and then waits
//   end    nothing any more: its request is done
enum class CopyAction { wait, pause, flush, end };

struct CopyStep {
  CopyAction action = CopyAction::wait;
  Tick time{0};  // of the pause
};

class BlockCopier {
 public:
  BlockCopier() = default;
  // An NVDIMM of so many lines.
  BlockCopier(const BlockParameters& parameters, std::uint64_t lines);

  // Lets a thread that can go on do what it can do now: send(line, write, opens_block) for each
  // access, which counts as outstanding from then on, as does a flush. Whoever learns of an end
  // takes that back, which may be while send() runs.
  template <class Send>
  CopyStep go_on(BlockThread& thread, const Send& send);

  // Accesses of the thread's page, in all.
  std::int64_t accesses(const BlockThread& thread) const {
    return thread.page.lines * copy_->accesses(thread.write);
  }
  // Whether threads wait for a write only until it is accepted.
  bool writes_end_accepted() const { return writes_end_accepted_; }
  const Copy& copy() const { return *copy_; }

  // The persist epoch of what is sent next: fences and flushes so far.
  std::uint64_t epoch() const { return epoch_; }
  void end_epoch() { ++epoch_; }

  void serialize(Archive& archive);

 private:
  // Sends accesses of the page; false: some must wait.
  template <class Send>
  bool send_page(BlockThread& thread, const Send& send);
  // Sends the flush that the mark asks for, and clears the mark.
  CopyStep flush(BlockThread& thread, bool& mark);
  Tick open_page(BlockThread& thread);
  void end_page(BlockThread& thread);
  bool touch(std::uint64_t page);

  const Copy* copy_ = &copy_of(CopyKind::non_temporal);
  bool waits_for_blocks_ = false;
  bool fences_blocks_ = false;
  bool writes_end_accepted_ = false;
  std::int64_t window_ = 0;  // accesses that a thread may have outstanding
  Tick map_time_{0};
  Tick fault_time_{0};
  std::uint64_t lines_ = 1;
  std::vector<bool> touched_;  // by page; empty where faults take no time
  std::uint64_t epoch_ = 0;
};

template <class Send>
inline CopyStep BlockCopier::go_on(BlockThread& thread, const Send& send) {
  BlockThread::Page& page = thread.page;
  if (thread.flush_before) {
    return flush(thread, thread.flush_before);
  }
  while (page.lines > 0 || thread.lines > 0) {
    if (page.lines == 0) {
      if (waits_for_blocks_ && thread.outstanding > 0) {
        return {};
      }
      const Tick pause = open_page(thread);
      if (pause > Tick(0)) {
        return {CopyAction::pause, pause};
      }
    }
    if (!send_page(thread, send)) {
      return {};
    }
  }
  if (thread.outstanding > 0) {
    return {};
  }
  return thread.flush_after ? flush(thread, thread.flush_after) : CopyStep{CopyAction::end};
}

template <class Send>
inline bool BlockCopier::send_page(BlockThread& thread, const Send& send) {
  BlockThread::Page& page = thread.page;
  while (const CopyPass* pass = copy_->pass(thread.write, page.pass)) {
    if (page.pass > 0 && page.accesses == 0 && thread.fetches > 0) {
      return false;
    }
    while (page.accesses < page.lines * pass->accesses) {
      if (thread.outstanding >= window_) {
        return false;
      }
      const bool opens_block = page.pass == 0 && page.accesses == 0;
      const std::int64_t line = page.accesses / pass->accesses;
      ++page.accesses;
      ++thread.outstanding;
      thread.fetches += thread.write && !pass->write ? 1 : 0;
      send(page.first_line + static_cast<std::uint64_t>(line), pass->write, opens_block);
    }
    ++page.pass;
    page.accesses = 0;
  }
  end_page(thread);
  return true;
}

}  // namespace hmsim
