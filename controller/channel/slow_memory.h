// SPDX-License-Identifier: BSD-3-Clause
// The slow memory of a channel, as the memory system uses it, with any interface: NVDIMMs on a
// memory bus or behind a port, or flash beside the HBM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/module/module.h"

namespace hmsim {

// A failure of the power at `now`. Saves of the modules end after `save_for`, or only the save of
// the module `interrupted`.
struct PowerFailure {
  Tick now{0};
  Tick save_for = kNever;
  std::optional<std::size_t> interrupted;  // its number in the system
};

class SlowMemory {
 public:
  virtual ~SlowMemory() = default;

  // Registers the statistics of a system's slow memories, all of which are of this one's type.
  virtual void register_statistics(StatisticRegistry& registry,
                                   const std::vector<SlowMemory*>& all) = 0;
  // Returns the NVDIMMs by number; none if the memory is no module.
  virtual NvdimmModules modules() const { return {}; }
  // Returns the garbage collections since the start.
  virtual MemoryPort::Collections collections() const { return {}; }
  // Discards a page. Returns how many pages were discarded: 1 or 0.
  virtual std::int64_t trim(LogicalPage /*page*/, Tick /*now*/) { return 0; }

  // Before any request: the same functions of NvdimmModule. Others ignore the calls.
  virtual void write_before(const std::vector<LogicalPage>& /*pages*/) {}
  virtual void hold_read(const std::vector<LogicalPage>& /*pages*/) {}
  virtual void hold_written(const std::vector<LogicalPage>& /*pages*/) {}
  virtual void serialize_start(Archive& /*archive*/) {}

  // Data mode: returns the bytes of a line of the channel as a read would return them.
  virtual LineBytes peek(Address line) const = 0;
  // Data mode, immediately before power_fail(): takes a write that is still in the host's queue.
  // Only if spares_writes().
  virtual bool spares_writes() const { return false; }
  virtual void spare(Address /*line*/, const LineData& /*data*/) {}
  // Data mode. `first`: number in the system of its first module.
  virtual void power_fail(const PowerFailure& failure, std::size_t first) = 0;
  virtual bool is_off() const { return false; }  // modules, since a power failure
  // Data mode, before any request: takes over the contents of a memory of the same type after a
  // power failure. Returns false if the recovery was interrupted after `recover_for`.
  virtual bool restore(SlowMemory& before, Tick now, Tick recover_for) = 0;
};

}  // namespace hmsim
