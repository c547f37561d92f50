// SPDX-License-Identifier: BSD-3-Clause
// Writing back pages of the write part.
//
// An eviction takes the least recently used dirty frame (item granularity: with all other unpinned
// dirty items of its page), looks the page up in the map, reads the page from flash first if some
// of its lines are neither here nor never written, and programs it: on its home LUN, or, with
// dynamic allocation, on the first LUN that has nothing else to do, or else the first that can
// combine the program with what it does. A page is evicted at most once at a time, so that an older
// version never overtakes a newer one.
//
// The map changes, and the frames are reported as written, when the program is over (release:
// program), or once its data are in the chip's register (datain). In the second case a read of the
// page finds its place in the LUN that still programs it, and waits there.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/types.h"
#include "nvdimm/buffer/pending_work.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/data.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/map_traffic.h"
#include "nvdimm/nand/flash_array.h"
#include "nvdimm/parameters.h"
#include "nvdimm/statistics.h"

namespace hmsim {

struct UnderWay;

class EvictionListener {
 public:
  virtual ~EvictionListener() = default;
  // The frame's lines are safe in flash, after so much waiting for collections; it is still in
  // state `evicting`.
  virtual void on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) = 0;
};

class Evictor final : private FlashRequester {
 public:
  Evictor(const NvdimmParameters& parameters, SyncBuffer& buffer, Ftl& ftl, FlashArray& flash,
          MapTraffic& map, PendingWork& pending, EvictionListener& listener,
          NvdimmStatistics& statistics, NvdimmData* data);

  // Starts one eviction. The number of frames that it will free; 0 when no frame can go.
  std::size_t start(Tick now);
  // As start(), before a frame is needed: only if a LUN has nothing better to do.
  std::size_t start_early(Tick now);

  // The page's data are not wanted any more: what is being written is dropped.
  void discard(LogicalPage page);

  bool idle() const { return evictions_.used() == 0; }
  std::size_t under_way() const { return evictions_.used(); }

  // The eviction's page was looked up in flash.
  void on_mapped(std::uint32_t eviction, const GcWait& gc, Tick now);

  // The LUN can take a program.
  void on_flash_idle(std::uint32_t lun, Tick now);

  void serialize(Archive& archive);
  // Loading: each eviction has its frames, and waits for one thing.
  void check_loaded(const Archive& archive, UnderWay& under_way) const;

 private:
  struct Eviction {
    LogicalPage page;
    PhysicalPage target;
    std::uint32_t frames = kNoIndex;  // the first of them, linked by Frame::link
    Tick unplaced_since{0};
    GcWait gc;              // of its reads and programs, and of the LUN that became free for it
    bool complete = false;  // its frames hold all lines of the page
    bool discarded = false;

    void serialize(Archive& archive) {
      archive(page, target, frames, unplaced_since, gc, complete, discarded);
    }
  };

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_data_in(const FlashCommand& command, Tick now) override;
  void on_flash_done(const FlashCommand& command, Tick now) override;

  static constexpr int kEarlyWindow = 16;  // frames that start_early() looks at

  bool is_under_way(std::uint32_t frame) const {
    return under_way_.find(buffer_.page_of(buffer_.write[frame].key).value()) != kNoIndex;
  }
  std::uint32_t channel_of(std::uint32_t lun) const { return lun / luns_per_channel_; }
  void check_frames(const Archive& archive) const;
  std::uint32_t victim() const;
  std::uint32_t early_victim() const;
  std::size_t evict(std::uint32_t oldest, Tick now);
  std::uint64_t take(std::uint32_t eviction, std::uint32_t frame);
  void complete_page(std::uint32_t eviction, Tick now);
  void place(std::uint32_t eviction, Tick now);
  void submit(FlashOperation operation, std::uint32_t lun, std::uint32_t eviction, Tick now);
  void complete(std::uint32_t eviction, Tick now);

  SyncBuffer& buffer_;
  Ftl& ftl_;
  FlashArray& flash_;
  MapTraffic& map_;
  PendingWork& pending_;
  EvictionListener& listener_;
  NvdimmStatistics& statistics_;
  NvdimmData* data_;  // nullptr: not in data mode
  FrameRelease release_;
  bool combines_;  // busy LUNs may take programs
  const std::uint32_t channels_;
  const std::uint32_t luns_per_channel_;
  std::uint32_t next_channel_ = 0;  // of early evictions
  Pool<Eviction> evictions_;
  KeyMap under_way_;              // page -> eviction
  Ring<std::uint32_t> unplaced_;  // evictions that wait for an idle LUN
};

}  // namespace hmsim
