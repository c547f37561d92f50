// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/flash_shape.h"

#include "nvdimm/power.h"

namespace hmsim {

FtlDemands ftl_demands(const NvdimmParameters& parameters) {
  FtlDemands demands;
  demands.capacity = parameters.capacity;
  if (parameters.kind == NvdimmKind::hbf) {
    demands.commands = parameters.hbf.pending_writes;
    demands.write_frames = parameters.hbf.pending_writes;
    return demands;
  }
  demands.commands = parameters.command_queue;
  demands.write_frames = parameters.buffer.frames(parameters.buffer.write_size);
  // At a power failure the write part must fit in addition to the blocks that an interrupted
  // collection has consumed, and one block must remain to collect with.
  demands.kept_blocks = parameters.store_data ? 3 + flush_blocks(parameters) : 0;
  return demands;
}

FtlShape ftl_shape(const NvdimmParameters& parameters) {
  return ftl_shape(parameters.ftl, parameters.gc, parameters.nand, ftl_demands(parameters));
}

}  // namespace hmsim
