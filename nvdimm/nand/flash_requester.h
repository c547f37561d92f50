// SPDX-License-Identifier: BSD-3-Clause
// Flash commands, and what the array asks those who submit them.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/nand/flash_observer.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class FlashRequester;

// For how long collections locked the LUNs that something waited for, and up to when.
struct GcWait {
  Tick blocked{0};
  Tick until{0};

  void add(const GcWait& other) {
    blocked += other.blocked;
    until = later(until, other.until);
  }
  // The part of one who waits since then only: exact where one collection blocked.
  Tick since(Tick begin) const {
    return until <= begin ? Tick(0) : earlier(blocked, until - begin);
  }
  void serialize(Archive& archive) {
    archive(blocked, until);
    archive.check(blocked >= Tick(0) && blocked < kNever, "a waiting time is invalid");
  }
};

struct FlashCommand {
  FlashRequester* requester = nullptr;  // whose command it is
  FlashOperation operation = FlashOperation::read;
  FlashPriority priority = FlashPriority::demand;
  bool transfer = true;   // false: between cells and register only (copyback)
  PartMask parts = 0;     // of the page that pass the bus; none: the one at its place
  bool hold_bus = false;  // read: keeps the bus to its end and beyond; program: gives it back then
  std::uint32_t lun = 0;
  std::uint32_t subject = 0;  // the requester's own cookie
  std::uint8_t share = 0;     // the same
  GcWait gc;                  // before its start
  bool failed = false;        // done: the cells do not hold it, or are not erased

  // The array knows the requester.
  void serialize(Archive& archive) {
    archive(operation, priority, transfer, parts, hold_bus, lun, subject, share, gc, failed);
  }
};

// Whoever submits commands. It may submit from within every call that is not const.
class FlashRequester {
 public:
  virtual ~FlashRequester() = default;
  // The command is next on its LUN. False withdraws it: its page is no longer there.
  virtual bool on_flash_start(const FlashCommand& command, Tick now) = 0;
  // Where a command works that has just started: its page, or the part of it that is read, or the
  // first one of the superblock that it erases.
  virtual PhysicalPage flash_place(const FlashCommand& command) const = 0;
  // Where it would work if it started now; kNowhere when that is not certain.
  virtual PhysicalPage next_flash_place(const FlashCommand& command) const = 0;
  // The data of a program have left the buffer.
  virtual void on_flash_data_in(const FlashCommand& /*command*/, Tick /*now*/) {}
  virtual void on_flash_done(const FlashCommand& command, Tick now) = 0;
};

}  // namespace hmsim
