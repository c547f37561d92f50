// SPDX-License-Identifier: BSD-3-Clause
// Data mode of one flash NVDIMM: the data that survive power failures and recoveries.
//
// At a power failure, flash operations in progress are torn. Pages for which the write part, posted
// writes or spared writes hold newer data than flash are saved, by all LUNs in parallel. When power
// returns, the map is rebuilt from spare areas. A save or a recovery may be interrupted; unsaved
// pages then stay in the buffer.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/request.h"
#include "core/types.h"
#include "nvdimm/buffer/data.h"
#include "nvdimm/buffer/posted_writes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/module/power_lane.h"
#include "nvdimm/module/power_record.h"
#include "nvdimm/nand/flash_array.h"
#include "nvdimm/parameters.h"
#include "nvdimm/power.h"

namespace hmsim {

class PowerBackup {
 public:
  // `data`: nullptr outside data mode; then only the records are kept.
  PowerBackup(const NvdimmParameters& parameters, Ftl& ftl, const FlashArray& flash,
              const SyncBuffer& buffer, const PostedWrites& posted, NvdimmData* data);

  // Takes a write from the host's queue to a line whose current bytes are `before`. The next
  // fail(), which must follow at once, saves it.
  void spare(std::int64_t line, const LineBytes& before, const LineData& data);
  // Fails at `now`. The save is interrupted after `save_for`.
  void fail(Tick now, Tick save_for);
  // Takes over the contents of the failed `before` and recovers. Returns false if the recovery was
  // interrupted after `recover_for`.
  bool recover(PowerBackup& before, Tick now, Tick recover_for);
  const PowerRecord& record() const { return record_; }

  void serialize(Archive& archive) { archive(record_); }

 private:
  struct Save {
    struct Page {
      LogicalPage page;
      UnsavedPage content;
      bool merged;
    };

    explicit Save(std::vector<PowerLane>& all) : lanes(all), programs(all.size()) {}

    std::vector<PowerLane>& lanes;
    std::uint32_t next = 0;  // first LUN that target() considers
    // Pages, and programs by LUN, since the free blocks last sufficed for a whole save.
    std::int64_t pages = 0;
    std::vector<std::int64_t> programs;
    std::vector<Page> waiting;  // until they fill a flash page
  };

  void tear_flash(std::vector<PowerLane>& lanes);
  void save_dirty(Save& save);
  void save_rest(Save& save);
  void save_page(LogicalPage page, const UnsavedPage& content, Save& save);
  void program(Save& save);
  void make_room(Save& save);
  void overlay_lines(LogicalPage page, PageBytes& bytes) const;
  std::uint32_t target(const Save& save) const;
  void collect(std::vector<PowerLane>& lanes);

  const NvdimmParameters& parameters_;
  Ftl& ftl_;
  const FlashArray& flash_;
  const SyncBuffer& buffer_;
  const PostedWrites& posted_;
  NvdimmData* data_;
  PowerRecord record_;
  std::map<std::int64_t, LineBytes> spared_;  // by line; filled only between spare() and fail()
};

}  // namespace hmsim
