// SPDX-License-Identifier: BSD-3-Clause
// Power failure: the energy that the ultracapacitors must supply.
//
// A write is safe once it is done, which is when its data burst has ended. At a power failure all
// LUNs program the write part into free pages in parallel, without garbage collection. A LUN needs
// tPROG for each of its pages, and tR for each page that it must read to complete one. Page
// transfers overlap with cell operations. Spared lines of the host's queue (Persistence) go into
// the frames of their pages, or become separate pages. Blocks are kept free for as many pages as
// there are frames. Before more pages than that are programmed, LUNs collect, as in a recovery.
// worst_hold_up() includes the programs and reads of spared lines' pages but not these collections:
// their length depends on where valid pages are and on the victim selector. Other requests of the
// host are lost. Flash operations in progress are lost as well: a page that is being programmed is
// torn, while its frame still has the data, or its block the original. Exception: if the frame was
// released at the end of data-in, the program is finished.
//
// When power returns, the module reads the spare area of every programmed page and rebuilds the
// map. It then collects the LUNs that have too few free blocks for another failure. Only after that
// does it accept the first command.
//
// If power returns during a save, the flash is reset and programs in progress are torn. Nothing is
// lost, because the buffer had power throughout. The recovery saves the rest and collects again.
// Power may also fail during a recovery. Programs and erases in progress are then torn, all earlier
// ones keep their effect, and the ultracapacitors power the save of the remaining data. The
// ultracapacitors count as recharged only when a recovery has ended.
#pragma once

#include <cstdint>
#include <string>

#include "core/types.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Returns the page reads to complete a page: one, plus one for its map entry with a cached map.
std::int64_t merge_reads(const NvdimmParameters& parameters);
// Returns the time to program `pages` pages evenly over all LUNs. The `merged` ones must first be
// completed by a read, and all of them from one LUN.
Tick flush_time(const NvdimmParameters& parameters, std::int64_t pages, std::int64_t merged);

// Returns the longest save, collections excluded: every frame of the write part is dirty, and every
// entry of the host's queue is a spared write to a separate page that one LUN must complete.
Tick worst_hold_up(const NvdimmParameters& parameters);
// Returns the pages that the free blocks kept for a flush can take: frames, and posted writes.
std::int64_t flush_pages(const NvdimmParameters& parameters);
// Returns the flash pages that hold `pages` pages.
std::int64_t flash_pages(const NvdimmParameters& parameters, std::int64_t pages);
// Returns the most pages that a flush programs: flush_pages() and spared writes.
std::int64_t save_pages(const NvdimmParameters& parameters);
// Returns the blocks of each LUN that a flush may consume.
std::int64_t flush_blocks(const NvdimmParameters& parameters);
// Describes the worst-case loss with the available energy; "" if there is none.
std::string check_energy(const NvdimmParameters& parameters);

}  // namespace hmsim
