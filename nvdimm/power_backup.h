// SPDX-License-Identifier: BSD-3-Clause
// Data mode of one flash NVDIMM: what power failures leave of its data, and recoveries find again.
//
// When power goes, what flash does at that moment is torn, and pages that the write part, posted
// writes or spared ones hold beyond flash are saved, LUNs at once. When it returns, the map is
// rebuilt from spare areas. Save and recovery may be interrupted; what was not saved then stays in
// the buffer.
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
  // `data`: nullptr outside data mode; then there are only records.
  PowerBackup(const NvdimmParameters& parameters, Ftl& ftl, const FlashArray& flash,
              const SyncBuffer& buffer, const PostedWrites& posted, NvdimmData* data);

  // A write of the host's queue to a line that has these bytes; it is saved with the next fail(),
  // which follows at once.
  void spare(std::int64_t line, const LineBytes& before, const LineData& data);
  // Power goes at `now`; the save is interrupted when it has lasted for `save_for`.
  void fail(Tick now, Tick save_for);
  // Goes on with what another one holds that has failed. False: the recovery was interrupted when
  // it had lasted for `recover_for`.
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
    std::uint32_t next = 0;  // the LUN that is asked first
    // Since free blocks were enough for all that are kept for a save: pages, and programs by LUN.
    std::int64_t pages = 0;
    std::vector<std::int64_t> programs;
    std::vector<Page> waiting;  // for a flash page to be full
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
  std::map<std::int64_t, LineBytes> spared_;  // by line; empty but between spare() and fail()
};

}  // namespace hmsim
