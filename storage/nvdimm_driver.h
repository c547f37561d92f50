// SPDX-License-Identifier: BSD-3-Clause
// Copying of blocks between DRAM and the NVDIMM by a driver.
//
// A driver is a preset: a table row with values for the parameters below, each of which can also be
// set separately. The row of the same name in storage/software_path.cc holds the cost of its
// software.
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
// Implementation of flushes and of forced unit access (FUA). command: both send a flush command to
// the NVDIMM. driver: a flush waits until no write is under way and sends no command; FUA does
// nothing.
enum class Barrier { command, driver };
// Event that ends a persist epoch. none: no epochs.
enum class Fence { block, request, none };

// Pass over the lines of a page, in ascending order. It begins when the reads of the pass before it
// are done.
struct CopyPass {
  bool write = false;
  std::int64_t accesses = 0;  // per line
};

struct Copy {
  // Index: 0 for reads, 1 for writes. A pass without accesses does not exist.
  std::array<std::array<CopyPass, 2>, 2> passes;
  std::int64_t window;  // limit of outstanding accesses for this kind of copy

  const CopyPass* pass(bool write, std::size_t number) const {
    const auto& all = passes[write ? 1 : 0];
    return number < all.size() && all[number].accesses > 0 ? &all[number] : nullptr;
  }
  bool reads(bool write) const {
    const auto& all = passes[write ? 1 : 0];
    return std::any_of(all.begin(), all.end(),
                       [](const CopyPass& each) { return !each.write && each.accesses > 0; });
  }
  std::int64_t accesses(bool write) const {  // per line, over all passes
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
  Tick map_time;    // per copied page
  Tick fault_time;  // per page on its first touch

  // Returns whether the driver sends the lines of a page as one command to NVDIMMs that take it
  // (MemoryPort::NvdimmTraits). Mapped files are loads and stores of lines, and so are copies
  // through the caches or of words.
  bool sends_blocks() const {
    return software != IoDriverKind::dax && copy == CopyKind::non_temporal;
  }
};

extern const std::array<PresetRow<NvdimmDriverKind, NvdimmDriver>, 3> kNvdimmDrivers;

inline const NvdimmDriver& driver_of(NvdimmDriverKind kind) {
  return row_of(kNvdimmDrivers, kind).values;
}

struct NvdimmDeviceParameters {
  NvdimmDriver driver = driver_of(NvdimmDriverKind::nd_pmem);
  Fence fence = Fence::none;
  std::int64_t window = 64;    // most outstanding accesses per request
  std::int64_t shared_by = 0;  // if positive, window is this part of the port's entries, at least 1
  std::uint16_t source = 0;    // hardware context on whose behalf lines are sent
};

// Settings of a client's block I/O on an NVDIMM.
struct NvdimmIo {
  PathParameters path;
  NvdimmDeviceParameters device;
  // Set for a block agent: response times of its blocks are nvdimm.response_time_us, and its
  // requests pass the file system of storage.path.
  bool of_block_agent = false;
};

}  // namespace hmsim
