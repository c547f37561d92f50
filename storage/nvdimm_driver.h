// SPDX-License-Identifier: BSD-3-Clause
// How a driver moves blocks between DRAM and the NVDIMM.
//
// A driver is a row of a table: values of the parameters below, each of which may be set by itself.
// The cost of its software is a row of the same name in storage/software_path.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/preset_table.h"
#include "core/types.h"
#include "storage/software_path.h"

namespace hmsim {

enum class NvdimmDriverKind { nd_pmem, pmbd, dax };
enum class CopyKind { non_temporal, write_back, uncached };
enum class WaitFor { request, block };
enum class WriteEnd { done, accepted };
// command: a flush, and forced unit access, are a command to the NVDIMM. driver: a flush waits
// until no write is under way; forced unit access is nothing more.
enum class Barrier { command, driver };
// Event that ends a persist epoch; none: there are no epochs.
enum class Fence { block, request, none };

// One pass over the lines of a page, in ascending order. It begins when the reads of the pass
// before it are done.
struct CopyPass {
  bool write = false;
  std::int64_t accesses = 0;  // of each line
};

struct Copy {
  std::array<std::array<CopyPass, 2>, 2> passes;  // of a read, of a write; without accesses: none
  std::int64_t window;  // accesses that the kind of access allows to be outstanding

  const CopyPass* pass(bool write, std::size_t number) const {
    const auto& all = passes[write ? 1 : 0];
    return number < all.size() && all[number].accesses > 0 ? &all[number] : nullptr;
  }
  bool reads(bool write) const {
    const auto& all = passes[write ? 1 : 0];
    return std::any_of(all.begin(), all.end(),
                       [](const CopyPass& each) { return !each.write && each.accesses > 0; });
  }
  std::int64_t accesses(bool write) const {  // of a line, in all passes
    return passes[write ? 1 : 0][0].accesses + passes[write ? 1 : 0][1].accesses;
  }
};

const Copy& copy_of(CopyKind kind);

struct NvdimmDriver {
  IoDriverKind software;
  CopyKind copy;
  WaitFor wait;
  WriteEnd write_end;
  Barrier barrier;
  Tick map_time;    // per page copied
  Tick fault_time;  // per page first touched
};

extern const std::array<PresetRow<NvdimmDriverKind, NvdimmDriver>, 3> kNvdimmDrivers;

inline const NvdimmDriver& driver_of(NvdimmDriverKind kind) {
  return row_of(kNvdimmDrivers, kind).values;
}

struct NvdimmDeviceParameters {
  NvdimmDriver driver = driver_of(NvdimmDriverKind::nd_pmem);
  Fence fence = Fence::none;
  std::int64_t window = 64;  // accesses outstanding per request
  std::uint16_t source = 0;  // hardware context for which lines are sent
};

// How a client does block I/O on an NVDIMM.
struct NvdimmIo {
  PathParameters path;
  NvdimmDeviceParameters device;
  // True of a block agent: the response times of its blocks are nvdimm.response_time_us, and
  // requests go through the file system of storage.path.
  bool of_block_agent = false;
};

}  // namespace hmsim
