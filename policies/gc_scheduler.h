// SPDX-License-Identifier: BSD-3-Clause
// Decides when garbage collection takes its next step and which reads go first. The NVDIMM's
// collector does the work. It cleans one block of a LUN at a time: it copies the valid pages one
// after another inside the LUN, then erases the block. It asks the policy before every step.
//
// A LUN whose free blocks fall below the urgent limit is collected whatever the policy decides, and
// takes no host page until it is above the limit. No policy can run out of free blocks.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

// Flash work pending for host requests, including operations in flight.
struct PendingFlash {
  std::uint32_t read_pages = 0;  // page reads for requests, or to complete a partly written page
  std::uint32_t fetchable = 0;   // share of read_pages into frames of the read part that are ready
  std::uint32_t writes = 0;      // pages to program

  bool none() const { return read_pages == 0 && writes == 0; }

  PendingFlash& operator+=(const PendingFlash& other) {
    read_pages += other.read_pages;
    fetchable += other.fetchable;
    writes += other.writes;
    return *this;
  }
  PendingFlash& operator-=(const PendingFlash& other) {
    read_pages -= other.read_pages;
    fetchable -= other.fetchable;
    writes -= other.writes;
    return *this;
  }
  friend PendingFlash operator-(PendingFlash a, const PendingFlash& b) { return a -= b; }

  friend bool operator==(const PendingFlash& a, const PendingFlash& b) {
    return a.read_pages == b.read_pages && a.fetchable == b.fetchable && a.writes == b.writes;
  }

  void serialize(Archive& archive) { archive(read_pages, fetchable, writes); }
};

// Durations of flash operations on one page or block, and of one 64-byte request.
struct GcTimes {
  Tick read;      // cells to register (tR)
  Tick program;   // register to cells (tPROG)
  Tick erase;     // tBERS
  Tick transfer;  // one page on the flash channel
  Tick blocked;   // time for which the copy of a page blocks the flash channel
  Tick burst;     // one request on the memory bus (tBL)
};

// The state of a LUN and its surroundings when a decision is made.
struct GcView {
  std::uint32_t free_blocks = 0;   // free blocks of the LUN
  std::uint32_t due_below = 0;     // free blocks below which collection is due
  std::uint32_t victim_pages = 0;  // valid pages of the block being cleaned; 0 before start()
  std::uint32_t buffered = 0;      // unfinished requests in lookup or acknowledged
  PendingFlash lun;                // pending work of the LUN
  PendingFlash channel;            // pending work of its flash channel
  PendingFlash all;                // pending work of all channels; its writes include unplaced ones
  std::uint32_t unplaced = 0;      // writes not yet assigned to a LUN
  std::uint32_t channels = 0;      // flash channels
  std::uint32_t luns = 0;          // total over all channels
  const GcTimes* times = nullptr;
};

// Decision about an erase. `now`: erase at once. Otherwise, with `reads` > 0, erase after that many
// of the LUN's fetchable pages have been read, without asking again. With `reads` 0, ask again
// after a request of the channel has been served.
struct GcErase {
  bool now = true;
  std::uint32_t reads = 0;
};

class GcScheduler : public Policy {
 public:
  // Called after a host page was programmed while collection of the LUN is due. Returns whether to
  // clean a block.
  virtual bool start(const GcView& /*view*/) { return true; }
  // Called when the LUN is idle, whether collection is due or not. Returns whether to clean a
  // block.
  virtual bool start_idle(const GcView& /*view*/) { return false; }
  // Returns whether to copy the next valid page now, before all pending work of the LUN. Otherwise
  // the LUN serves the host, and the collector asks again whenever a request of the channel has
  // been served.
  virtual bool copy(const GcView& view) = 0;
  // Called when no valid page is left. Returns when to erase the block.
  virtual GcErase erase(const GcView& view) = 0;

  // Returns whether pages are copied through the LUN's register instead of over the channel.
  virtual bool copyback() const { return false; }
  // Returns whether a page copied over the channel is delivered at once to the requests that wait
  // for it.
  virtual bool caches_copied_pages() const { return false; }
};

}  // namespace hmsim
