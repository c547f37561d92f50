// SPDX-License-Identifier: BSD-3-Clause
// How software moves a block between DRAM and the NVDIMM: what a driver does to a request.
//
// A driver is a row of a table: values of the parameters below, each of which may be set by itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/preset_table.h"
#include "core/types.h"

namespace hmsim {

enum class DriverKind { nd_pmem, pmbd, dax };
enum class CopyKind { non_temporal, write_back, uncached };
enum class WaitFor { request, block };
enum class WriteEnd { done, accepted };
enum class Barrier { command, driver };

// The accesses that copy a page: passes over its lines in ascending order, each begun when the
// reads of the one before it are done.
struct CopyPass {
  bool write = false;
  std::int64_t accesses = 0;  // of each line
};

struct Copy {
  std::array<std::array<CopyPass, 2>, 2> passes;  // of a read, of a write; without accesses: none
  std::int64_t window;  // accesses outstanding, as far as the kind of access limits them

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

struct BlockDriver {
  CopyKind copy;
  WaitFor wait;
  WriteEnd write_end;
  Barrier barrier;
  Tick request_time;   // of software, per request
  Tick software_time;  // beside it, per block
  Tick map_time;       // per page copied
  Tick fault_time;     // per page first touched
};

extern const std::array<PresetRow<DriverKind, BlockDriver>, 3> kBlockDrivers;

inline const BlockDriver& driver_of(DriverKind kind) { return row_of(kBlockDrivers, kind).values; }

}  // namespace hmsim
