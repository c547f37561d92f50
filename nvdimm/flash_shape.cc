// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/flash_shape.h"

#include <functional>
#include <memory>
#include <string>

#include "nvdimm/ftl/victims.h"
#include "nvdimm/power.h"

namespace hmsim {

namespace {

// Free blocks of a bank below which HBF is collected if programs fail: a copy whose block fails
// opens another one.
constexpr std::int64_t kBlocksForFailures = 3;
constexpr const char* kOneStream = "single";

// Returns whether the user selected a placement policy.
bool places(const FtlParameters& ftl) { return ftl.make_placement || ftl.placement != kOneStream; }

// Returns the maker's policy, or without a maker the named one.
template <class Interface>
std::unique_ptr<Interface> made(const std::function<std::unique_ptr<Policy>()>& make,
                                PolicyKind kind, const std::string& name,
                                const Assignments& assignments) {
  return make ? std::unique_ptr<Interface>(static_cast<Interface*>(make().release()))
              : create_policy<Interface>(kind, name, assignments);
}

}  // namespace

FtlPolicies ftl_policies(const NvdimmParameters& parameters, const Assignments& assignments) {
  const FtlParameters& ftl = parameters.ftl;
  const bool by_handle = !places(ftl) && ftl_demands(parameters).streams > 1;
  return {
      victim_selector(ftl.victim, assignments),
      made<PagePlacement>(ftl.make_placement, PolicyKind::page_placement,
                          by_handle ? "by_handle" : ftl.placement, assignments),
      made<WearLeveler>(ftl.make_wear, PolicyKind::wear_leveler, ftl.wear, assignments),
      made<MapReplacement>(ftl.make_map, PolicyKind::map_replacement, ftl.map_replacement,
                           assignments),
  };
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
