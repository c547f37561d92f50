// SPDX-License-Identifier: BSD-3-Clause
// Reactive garbage collection in the foreground. After a page of the host was programmed and its
// LUN has fewer free blocks than the threshold, the LUN is locked: the valid pages of a victim are
// copied one after another, the victim is erased, and only then do other commands of that LUN go
// on. Copies stay inside their LUN and never touch the synchronisation buffer.
//
// While collection is pressing, another victim follows. Then, if the LUN's wear is uneven, its
// coldest block is moved in the same way.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/ftl.h"
#include "nvdimm/nand/flash_array.h"
#include "nvdimm/parameters.h"
#include "nvdimm/statistics.h"

namespace hmsim {

class GarbageCollector {
 public:
  GarbageCollector(const GcParameters& parameters, Ftl& ftl, FlashArray& flash,
                   NvdimmStatistics& statistics);

  // A page of the host was programmed on the LUN: starts a collection if one is due.
  void consider(std::uint32_t lun, Tick now);

  // For flash commands of priority `collection`.
  void on_flash_start(const FlashCommand& command);
  void on_flash_done(const FlashCommand& command, Tick now);

  // Power went while the cells worked on the command, a program or an erase.
  void tear(const FlashCommand& command, FlashMedia& media) const;

  void serialize(Archive& archive);

 private:
  struct Job {
    std::uint32_t block = 0;
    std::uint32_t next_page = 0;  // of the victim, to look at
    LogicalPage page;             // being copied
    PhysicalPage source;
    PhysicalPage target;
    Tick started;
    bool levelling = false;

    void serialize(Archive& archive) {
      archive(block, next_page, page, source, target, started, levelling);
    }
  };

  void start(std::uint32_t lun, std::uint32_t block, bool levelling, Tick now);
  void finish(std::uint32_t lun, Tick now);
  void copy_next(std::uint32_t lun, Tick now);
  void submit(FlashOperation operation, std::uint32_t lun, Tick now);

  GcParameters parameters_;
  Ftl& ftl_;
  FlashArray& flash_;
  NvdimmStatistics& statistics_;
  std::vector<Job> jobs_;  // by LUN; meaningful while it is locked
};

}  // namespace hmsim
