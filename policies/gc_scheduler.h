// SPDX-License-Identifier: BSD-3-Clause
// When garbage collection takes its next step, and what goes before it: what such a policy sees and
// decides. The collector of the NVDIMM does the work. It cleans one block of a LUN at a time:
// copies its valid pages one after another inside the LUN, then erases it. Before every step it
// asks.
//
// A LUN whose free blocks fall below the urgent limit is collected whatever the policy says, and
// takes no page of the host until it is above: no policy can run out of free blocks.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

// What flash still owes to the host's requests, those under way included.
struct PendingFlash {
  std::uint32_t read_pages = 0;  // page reads: for requests, or to complete a written page
  std::uint32_t fetchable = 0;   // of read_pages: into frames of the read part that are ready
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

// Times of one page or block, and of one 64-byte request.
struct GcTimes {
  Tick read;      // cells to register (tR)
  Tick program;   // register to cells (tPROG)
  Tick erase;     // tBERS
  Tick transfer;  // of a page on the flash channel
  Tick blocked;   // of the flash channel, by the copy of a page
  Tick burst;     // of a request on the memory bus (tBL)
};

// A LUN and its surroundings at the moment of a decision.
struct GcView {
  std::uint32_t free_blocks = 0;   // of the LUN
  std::uint32_t due_below = 0;     // free blocks below which collection is due
  std::uint32_t victim_pages = 0;  // valid pages of the block that is cleaned; before start(): 0
  std::uint32_t buffered = 0;      // unfinished requests in lookup or acknowledged
  PendingFlash lun;                // pending work of the LUN,
  PendingFlash channel;            // of its flash channel,
  PendingFlash all;                // and of all; writes include those that may still go anywhere:
  std::uint32_t unplaced = 0;      // so many of them
  std::uint32_t channels = 0;      // flash channels
  std::uint32_t luns = 0;          // on all of them
  const GcTimes* times = nullptr;
};

// now: at once. Else `reads`: after so many of LUN's fetchable pages have been read, without
// another question; 0: after some request of the channel was served, it is asked again.
struct GcErase {
  bool now = true;
  std::uint32_t reads = 0;
};

class GcScheduler : public Policy {
 public:
  // A page of the host was programmed, and collection of the LUN is due: clean a block?
  virtual bool start(const GcView& /*view*/) { return true; }
  // The LUN has nothing to do; collection may or may not be due: clean a block?
  virtual bool start_idle(const GcView& /*view*/) { return false; }
  // Copy the next valid page now, before all that waits for the LUN? If not, the LUN serves the
  // host, and the question is asked again whenever a request of the channel was served.
  virtual bool copy(const GcView& view) = 0;
  // No valid page is left: when is the block erased?
  virtual GcErase erase(const GcView& view) = 0;

  // Pages move from cells to cells through the LUN's register, not over the channel.
  virtual bool copyback() const { return false; }
  // A page that is copied over the channel, and that requests wait for, goes to them at once.
  virtual bool caches_copied_pages() const { return false; }
};

}  // namespace hmsim
