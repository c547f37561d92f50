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

#include "core/types.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Page reads to complete a page: its own, and with a cached map that of its entry.
std::int64_t merge_reads(const NvdimmParameters& parameters);
// Time for so many pages, programmed by all LUNs alike; those of them that must be merged are read
// from one.
Tick flush_time(const NvdimmParameters& parameters, std::int64_t pages, std::int64_t merged);

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
