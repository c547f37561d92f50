// SPDX-License-Identifier: BSD-3-Clause
// Writing pages without time: what puts an FTL into the state in which a simulation starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/parameters.h"

namespace hmsim {

struct UntimedWork {
  std::uint64_t host_pages = 0;
  std::uint64_t gc_pages = 0;  // those moved by wear levelling included
  std::uint64_t map_pages = 0;
  std::uint64_t merged_pages = 0;
  std::uint64_t padded_pages = 0;
  std::uint64_t collected_blocks = 0;
  std::uint64_t levelled_blocks = 0;
};

// Programs flash pages full of what is written and, when that makes it due, collects their LUNs:
// the same steps, in the same order, as the timed NVDIMM takes for evictions. Merged are pages that
// follow one another, as long as they share a flash page.
class UntimedWriter {
 public:
  explicit UntimedWriter(Ftl& ftl);

  void write(LogicalPage page);
  // Pads what is left, and tells all that was done since the last time.
  UntimedWork finish();

 private:
  using Pages = std::vector<LogicalPage>;  // fewer than fill a flash page

  void merge(LogicalPage page);
  void program(Pages& pages);

  Ftl& ftl_;
  const std::size_t most_;
  std::vector<Pages> waiting_;  // static allocation, unless merged: by home; else one for all
  UntimedWork work_;
};

// Writes one page, in a flash page of its own.
void write_untimed(Ftl& ftl, LogicalPage page, UntimedWork& work);

// Programs the translation pages that a cached map wants written, and what that makes due.
void write_map_untimed(Ftl& ftl, UntimedWork& work);

// Collects the LUN until it has the free blocks that it should, or nothing can be gained.
void collect_untimed(Ftl& ftl, std::uint32_t lun, UntimedWork& work);

// As `parameters` say; overwrites at random depend on their seed and on `seed`, a channel's own.
// parameters.report() is told of all that is written.
UntimedWork precondition(Ftl& ftl, const PreconditionParameters& parameters, std::uint64_t seed);

// Pages that it writes, those that it writes again counted again.
std::uint64_t precondition_pages(const PreconditionParameters& parameters,
                                 std::uint64_t logical_pages);

// Pages that it fills, the first ones.
std::uint64_t filled_pages(const PreconditionParameters& parameters, std::uint64_t logical_pages);

// The pages that precondition() would write if it went on, each named once, when it would first be
// written; `count` of them, or all that are filled.
std::vector<LogicalPage> next_writes(const PreconditionParameters& parameters,
                                     std::uint64_t logical_pages, std::uint64_t seed,
                                     std::uint64_t count);

// A module is filled in order, overwritten until its write amplification has settled, and measured.
struct UntimedRun {
  double settle = 4;   // logical capacities
  double measure = 2;  // logical capacities
  PreconditionPattern pattern = PreconditionPattern::uniform;
  std::uint64_t seed = 1;
};

// Pages programmed for each page of the host.
double untimed_amplification(const FtlShape& shape, const std::string& victim,
                             const Assignments& assignments, const UntimedRun& run);

}  // namespace hmsim
