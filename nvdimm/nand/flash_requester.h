// SPDX-License-Identifier: BSD-3-Clause
// Flash commands, and the array's interface to the objects that submit them.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/nand/flash_observer.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class FlashRequester;

// Time that a command or request waited for LUNs that collections locked or for buses that they
// held, and the end of the last lock or hold.
struct GcWait {
  Tick blocked{0};
  Tick until{0};

  void add(const GcWait& other) {
    blocked += other.blocked;
    until = later(until, other.until);
  }
  // Returns the part of the wait that lies after `begin`. Exact if only one collection blocked.
  Tick since(Tick begin) const {
    return until <= begin ? Tick(0) : earlier(blocked, until - begin);
  }
  void serialize(Archive& archive) {
    archive(blocked, until);
    archive.check(blocked >= Tick(0) && blocked < kNever, "invalid waiting time");
  }
};

struct FlashCommand {
  FlashRequester* requester = nullptr;  // submitter of the command
  FlashOperation operation = FlashOperation::read;
  FlashPriority priority = FlashPriority::demand;
  std::uint32_t lun = 0;
  std::uint32_t subject = 0;  // cookie of the requester
  bool transfer = true;       // false: only between cells and register (copyback)
  PartMask parts = 0;         // parts of the page that cross the bus; 0: the one at flash_place()
  bool hold_bus = false;      // read: keeps the bus beyond its end; program: releases it at its end
  std::uint8_t share = 0;     // a second cookie
  GcWait gc{};                // wait of the command for collections
  bool failed = false;        // done: the program or erase failed

  // The array saves the requester.
  void serialize(Archive& archive) {
    archive(operation, priority, transfer, parts, hold_bus, lun, subject, share, gc, failed);
  }
};

// Submitter of commands. It may submit further commands from within its non-const functions.
class FlashRequester {
 public:
  virtual ~FlashRequester() = default;
  // Called when the command is next on its LUN. Returns false to withdraw the command, because its
  // page has moved.
  virtual bool on_flash_start(const FlashCommand& command, Tick now) = 0;
  // Returns the place of a command that has just started: the page, the part that is read, or the
  // first page of the superblock that is erased.
  virtual PhysicalPage flash_place(const FlashCommand& command) const = 0;
  // Returns the place that a waiting command would have if it started now, or kNowhere if that is
  // uncertain.
  virtual PhysicalPage next_flash_place(const FlashCommand& /*command*/) const { return kNowhere; }
  // Called when the data of a program have left the buffer. The frame that held them may then be
  // released before the program ends.
  virtual void on_flash_data_in(const FlashCommand& /*command*/, Tick /*now*/) {}
  virtual void on_flash_done(const FlashCommand& command, Tick now) = 0;
};

}  // namespace hmsim
