// SPDX-License-Identifier: BSD-3-Clause
// Writes pages in zero simulated time, to bring an FTL into a simulation's initial state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Returns the share of `pages`, rounded to a whole number.
std::uint64_t pages_of(double share, std::uint64_t pages);

struct UntimedWork {
  std::uint64_t host_pages = 0;
  std::uint64_t gc_pages = 0;  // including pages moved by wear levelling
  std::uint64_t map_pages = 0;
  std::uint64_t merged_pages = 0;
  std::uint64_t padded_pages = 0;
  std::uint64_t collected_blocks = 0;
  std::uint64_t levelled_blocks = 0;
};

// Fills flash pages with the written pages, programs them, and collects their LUNs when that is
// due. Takes the same steps in the same order as the timed NVDIMM does for evictions. With merging,
// consecutive pages are combined as long as they share a flash page.
class UntimedWriter {
 public:
  explicit UntimedWriter(Ftl& ftl);

  // `handle`: that the writer gives; without effect with merging.
  void write(LogicalPage page, std::uint32_t handle = 0);
  // Pads and programs partly filled flash pages. Returns the work since the last call.
  UntimedWork finish();

 private:
  using Pages = std::vector<LogicalPage>;  // fewer than fill a flash page

  void merge(LogicalPage page);
  void program(Pages& pages, std::uint32_t stream);

  Ftl& ftl_;
  const std::size_t most_;
  // By home with static allocation unless merged, and by stream.
  std::vector<Pages> waiting_;
  std::uint32_t stream_ = 0;  // merged: of the waiting pages
  UntimedWork work_;
};

// Writes one page into a separate flash page.
void write_untimed(Ftl& ftl, LogicalPage page, UntimedWork& work, std::uint32_t handle = 0);

// Programs the translation pages that a cached map wants to write, and collects as that requires.
void write_map_untimed(Ftl& ftl, UntimedWork& work);

// Collects the LUN until it has its target of free blocks or no collection gains space.
void collect_untimed(Ftl& ftl, std::uint32_t lun, UntimedWork& work);

// Preconditions as `parameters` specify. Random overwrites depend on the parameters' seed and on
// `seed`, the channel's private one. Reports all written pages to parameters.report().
UntimedWork precondition(Ftl& ftl, const PreconditionParameters& parameters, std::uint64_t seed);

// Returns the pages that precondition() writes; a page counts each time it is written.
std::uint64_t precondition_pages(const PreconditionParameters& parameters,
                                 std::uint64_t logical_pages);

// Returns the number of pages that precondition() fills, from logical page 0 on.
std::uint64_t filled_pages(const PreconditionParameters& parameters, std::uint64_t logical_pages);

// Returns the pages that precondition() would write if it continued, each once, in order of its
// first write. Stops after `count` pages or when all filled pages are listed.
std::vector<LogicalPage> next_writes(const PreconditionParameters& parameters,
                                     std::uint64_t logical_pages, std::uint64_t seed,
                                     std::uint64_t count);

// Run that fills a module in order, overwrites it until write amplification settles, then measures.
struct UntimedRun {
  double settle = 4;   // logical capacities
  double measure = 2;  // logical capacities
  PreconditionPattern pattern = PreconditionPattern::uniform;
  std::uint64_t seed = 1;
  // If not 0: this percentage of the pages, the first ones, gets that of the overwrites. Both parts
  // are uniform within. Hot pages have handle 0, cold ones handle 1.
  std::uint64_t hot_pages = 0;
  std::uint64_t hot_writes = 0;
};

// Returns the pages programmed per host page. Without `placement`, all pages have stream 0.
double untimed_amplification(const FtlShape& shape, const std::string& victim,
                             const Assignments& assignments, const UntimedRun& run,
                             std::unique_ptr<PagePlacement> placement = nullptr);

}  // namespace hmsim
