// SPDX-License-Identifier: BSD-3-Clause
// Power failure: what the ultracapacitors must pay for.
//
// A write is safe once it is done: once its data burst has ended. At a power failure the write part
// is programmed into free pages, by all LUNs in parallel, without garbage collection. A LUN needs
// tPROG for each of its pages, and tR for each page of its own that is read to complete one; page
// transfers happen while cells work. Lines of the host's queue that are spared (Persistence) go
// into their pages' frames, or are pages of their own. Blocks are kept free for as many pages as
// there are frames; before more of them are programmed, LUNs collect, as they do in a recovery.
// Programs and reads of spared lines' pages are part of worst_hold_up(), but these collections are
// not: their length depends on what is valid where, and on the selector of victims. The host's
// other requests are lost, and so is what flash does at that moment: a page that is being
// programmed is torn (its frame still has the data, or its block the original), unless its frame
// was released at the end of data-in: that program is finished.
//
// When power is back, every programmed page's spare area is read and the map rebuilt; then LUNs
// that have too few free blocks for another failure are collected, before the first command is
// taken.
//
// Power that returns during a save resets the flash: programs under way are torn. Nothing is lost,
// since the buffer has had power all the time; the recovery saves the rest, and collects again.
// Power may go during a recovery, too: then programs and erases under way are torn, all before them
// stays as it is, and what is still to be saved is saved from the ultracapacitors. These count as
// charged again once a recovery is over, and no sooner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/nand/power_lane.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Power failures of one NVDIMM since it was built.
struct PowerRecord {
  std::uint64_t failures = 0;
  std::uint64_t flushed_pages = 0;
  std::uint64_t merged_pages = 0;  // of the flushed ones, those that had to be read first
  std::uint64_t torn_pages = 0;    // programs that were interrupted, and pages of torn blocks
  std::uint64_t saved_lines = 0;   // of byte-addressable media
  std::uint64_t spared_lines = 0;  // writes of the host's queue
  Tick hold_up{0};                 // the longest
  std::int64_t energy = 0;         // for that, in microjoules
  Tick recovery{0};                // the longest, once power is back
  Tick drained{0};                 // for so long the ultracapacitors were drawn upon since the last

  // A failure whose save, or the part of it that there was, has lasted for so long. Throws
  // InputError when the energy does not suffice.
  void fail(const PowerParameters& parameters, Tick save);
  // A recovery is over.
  void recover(Tick time) {
    recovery = later(recovery, time);
    drained = Tick(0);
  }

  void serialize(Archive& archive) {
    archive(failures, flushed_pages, merged_pages, torn_pages, saved_lines, spared_lines);
    archive(hold_up, energy, recovery, drained);
  }
};

// When the last of them is through.
Tick longest(const std::vector<PowerLane>& lanes);

// Page reads to complete a page: its own, and with a cached map that of its entry.
std::int64_t merge_reads(const NvdimmParameters& parameters);
// Time for so many pages, programmed by all LUNs alike; those of them that must be merged are read
// from one.
Tick flush_time(const NvdimmParameters& parameters, std::int64_t pages, std::int64_t merged);
// In microjoules, rounded up.
std::int64_t flush_energy(const PowerParameters& parameters, Tick hold_up);

// The worst case without collections: every frame of the write part dirty, every entry of the
// host's queue a write that is spared, and each a page of its own to be completed from one LUN.
Tick worst_hold_up(const NvdimmParameters& parameters);
// Pages that the free blocks kept for a flush are enough for: frames, and writes on their way to
// one.
std::int64_t flush_pages(const NvdimmParameters& parameters);
// Flash pages that so many of them fill.
std::int64_t flash_pages(const NvdimmParameters& parameters, std::int64_t pages);
// Pages that a flush may have to program: those, and spared writes.
std::int64_t save_pages(const NvdimmParameters& parameters);
// Blocks of each LUN that a flush may take.
std::int64_t flush_blocks(const NvdimmParameters& parameters);
// What would be lost in the worst case with the energy that there is; "" when nothing.
std::string check_energy(const NvdimmParameters& parameters);

}  // namespace hmsim
