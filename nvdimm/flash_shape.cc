// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/flash_shape.h"

#include "nvdimm/power.h"

namespace hmsim {

namespace {

// Free blocks of a bank below which HBF is collected if programs fail: a copy whose block fails
// opens another one.
constexpr std::int64_t kBlocksForFailures = 3;
constexpr const char* kOneStream = "single";

// Returns whether the user selected a placement policy.
bool places(const FtlParameters& ftl) { return ftl.make_placement || ftl.placement != kOneStream; }

}  // namespace

std::unique_ptr<PagePlacement> placement_of(const NvdimmParameters& parameters,
                                            const Assignments& assignments) {
  if (parameters.ftl.make_placement) {
    return std::unique_ptr<PagePlacement>(
        static_cast<PagePlacement*>(parameters.ftl.make_placement().release()));
  }
  const bool by_handle = !places(parameters.ftl) && ftl_demands(parameters).streams > 1;
  return page_placement(by_handle ? "by_handle" : parameters.ftl.placement, assignments);
}

FtlDemands ftl_demands(const NvdimmParameters& parameters) {
  FtlDemands demands;
  demands.capacity = parameters.capacity;
  demands.streams = places(parameters.ftl) ? parameters.ftl.streams : 1;
  if (parameters.kind == NvdimmKind::hbf) {
    if (!places(parameters.ftl)) {
      demands.streams = parameters.hbf.streams;
      demands.streams_key = "hbf.streams";
    }
    demands.commands = parameters.hbf.pending_writes;
    demands.write_frames = parameters.hbf.pending_writes;
    demands.kept_blocks = parameters.nand.program_failure == 0 ? 0 : kBlocksForFailures;
    return demands;
  }
  demands.commands = parameters.commands();
  demands.write_frames = parameters.buffer.frames(parameters.buffer.write_size);
  // At a power failure the write part must fit in addition to the blocks that an interrupted
  // collection has consumed, and one block must remain to collect with.
  demands.kept_blocks = parameters.store_data ? 2 + demands.streams + flush_blocks(parameters) : 0;
  return demands;
}

FtlShape ftl_shape(const NvdimmParameters& parameters) {
  FtlShape shape =
      ftl_shape(parameters.ftl, parameters.gc, parameters.nand, ftl_demands(parameters));
  shape.retires = parameters.kind != NvdimmKind::hbf;  // its device has spare blocks
  return shape;
}

}  // namespace hmsim
