// SPDX-License-Identifier: BSD-3-Clause
// Flash operations, and the hook through which logs, timelines and checkers see them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

enum class FlashOperation : std::uint8_t { read, program, erase, last = erase };

// On a LUN, first by this, then by order of submission.
enum class FlashPriority : std::uint8_t {
  demand,
  map,
  collection,
  prefetch,
  eviction,
  last = eviction
};

inline constexpr std::size_t kFlashPriorities = 5;

enum class FlashStage : std::uint8_t {
  command,   // bus: latch cycles, of a program with the page on its way in
  cells,     // the cells begin; `end` is when they will be done if nothing suspends them
  done,      // the cells are done
  suspend,   // the cells begin to stop; `end`: they have stopped
  resume,    // `end`: the cells work on
  data_out,  // bus
  status,    // bus
  fail,      // of a program or an erase that is done: it has failed
};

// Of an operation on several planes every plane has records of its own, one after the other; but
// one status tells of all.
struct FlashRecord {
  Tick start;
  Tick end;
  FlashStage stage;
  FlashOperation operation;
  bool transfer;        // the page, or parts of it, pass the bus
  bool more;            // command: that of another plane follows
  std::uint32_t lun;    // of the array; channel = lun / LUNs a channel
  std::uint64_t block;  // of the array: (place in the LUN's planes) x planes + plane, LUN by LUN
  std::uint32_t page;   // of the block
  FlashPriority priority = FlashPriority::demand;
  PartMask parts = 1;  // those that do
};

// A collection, or a move for wear levelling, of a LUN begins or has ended; a LUN has one at a
// time.
struct CollectionRecord {
  Tick at;
  bool begins;
  bool levelling;
  std::uint32_t lun;
  std::uint64_t block;  // of the array: the victim's first
};

class FlashObserver {
 public:
  virtual ~FlashObserver() = default;
  virtual void on_flash(const FlashRecord& record) = 0;
  virtual void on_collection(const CollectionRecord& /*record*/) {}
  // So many pages of the block were programmed before the first record.
  virtual void on_programmed(std::uint64_t block, std::uint32_t pages) = 0;
  // The block must not be used, from before the first record on.
  virtual void on_bad(std::uint64_t block) = 0;
};

}  // namespace hmsim
