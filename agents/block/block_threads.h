// SPDX-License-Identifier: BSD-3-Clause
// The threads of a block agent: each one's request, and what of it is still to be done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/block/block_driver.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

struct BlockThread {
  // The page that is being copied, in passes over its lines.
  struct Page {
    std::uint64_t first_line = 0;
    std::int64_t lines = 0;     // 0: no page is being copied
    std::uint64_t pass = 0;     // from 0
    std::int64_t accesses = 0;  // of this pass that are sent
    std::uint32_t block = 0;    // in the BlockLedger, once an access is sent
  };

  bool busy = false;             // it has a request
  bool paused = false;           // a step of the agent's, or the barrier, lets it go on
  std::int64_t number = 0;       // of the request within the pass
  std::uint64_t serial = 0;      // of the request for RequestSource::ended()
  Tick submitted{0};             // when it began the request
  std::uint64_t first_line = 0;  // of the request, on the device
  std::uint64_t all_lines = 0;   // of the request
  std::uint64_t next_line = 0;   // of the NVDIMM: the first line that no page holds yet
  std::uint64_t lines = 0;       // from there on
  std::int64_t blocks = 0;       // that its end counts, where lines do not
  bool write = false;
  bool trim = false;
  bool past_barrier = false;     // counts among the barrier's writers
  bool flush_before = false;     // a flush is still to be sent before the lines
  bool flush_after = false;      // a flush is still to be sent after them
  std::int64_t outstanding = 0;  // accesses, or a flush, that it waits for
  std::int64_t fetches = 0;      // those of them that read, of a write request
  Page page;

  // Whether it has something to do by itself.
  bool can_go_on() const { return busy && !paused; }

  void serialize(Archive& archive);
};

class BlockThreads {
 public:
  // So many threads; each `depth` of them that follow one another stand for one that has all their
  // requests under way, and runs software for one of these at a time.
  void resize(std::size_t threads, std::size_t depth = 1);

  std::size_t size() const { return threads_.size(); }
  BlockThread& operator[](std::size_t index) { return threads_[index]; }
  const BlockThread& operator[](std::size_t index) const { return threads_[index]; }
  std::int64_t busy() const { return busy_; }  // threads with a request
  std::size_t first_free() const;              // one is free

  // Gives a free thread its request, with nothing of it done. The thread is paused.
  BlockThread& begin(std::size_t index, std::int64_t number);
  void end(std::size_t index);
  // Software runs for so long, from then on or when what came before it is over; returns when it
  // is over itself. Throws InputError past the longest time.
  Tick run(std::size_t index, Tick from, Tick time);
  // The number of the first request that has not ended, where `taken` is that of the next one to
  // be taken.
  std::int64_t first_under_way(std::int64_t taken) const;

  void serialize(Archive& archive);
  // Loading: checks that addresses lie on a device of `lines` lines.
  void check(const Archive& archive, std::uint64_t lines) const;

 private:
  std::vector<BlockThread> threads_;
  std::size_t depth_ = 1;
  std::vector<Tick> software_over_;  // when, by thread that several stand for
  std::int64_t busy_ = 0;
};

}  // namespace hmsim
