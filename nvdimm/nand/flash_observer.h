// SPDX-License-Identifier: BSD-3-Clause
// Flash operations, and the interface through which logs, timelines and checkers observe them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

enum class FlashOperation : std::uint8_t { read, program, erase, last = erase };

// Priority on a LUN. Ties are served in order of submission.
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
  command,   // bus: latch cycles; for a program with its incoming data
  cells,     // the cells begin; `end` is their end unless they are suspended
  done,      // the cells are done
  suspend,   // the cells begin to stop; `end`: they have stopped
  resume,    // `end`: the cells continue
  data_out,  // bus
  status,    // bus
  fail,      // a program or an erase that is done has failed
};

// Record of one stage. An operation on several planes has one record per plane, in order; a status
// has a single record for all planes.
struct FlashRecord {
  Tick start;
  Tick end;
  FlashStage stage;
  FlashOperation operation;
  bool transfer;        // data of the page cross the bus
  bool more;            // command: another plane's command follows
  std::uint32_t lun;    // of the array; channel = lun / LUNs per channel
  std::uint64_t block;  // of the array: (place in the LUN's planes) x planes + plane, LUN by LUN
  std::uint32_t page;   // of the block
  FlashPriority priority = FlashPriority::demand;
  PartMask parts = 1;    // parts that cross the bus
  bool further = false;  // data_out: of a page whose first part has crossed the bus
  bool one_bit = false;  // the block is in one-bit mode
};

// Begin or end of a collection, or of a move for wear levelling. A LUN has one at a time.
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
  // Before the first record: reports that the first `pages` pages of the block are programmed.
  virtual void on_programmed(std::uint64_t block, std::uint32_t pages) = 0;
  // Before the first record: reports that the block is bad and must not be used.
  virtual void on_bad(std::uint64_t block) = 0;
};

}  // namespace hmsim
