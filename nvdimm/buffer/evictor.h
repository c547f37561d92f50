// SPDX-License-Identifier: BSD-3-Clause
// Writes back pages of the write part.
//
// An eviction takes the least recently used dirty frame; with item granularity, also all other
// unpinned dirty items of its page. It looks the page up in the map. If some lines of the page are
// only in flash, it reads the page first. It then programs the page: with static allocation on its
// home LUN; with dynamic allocation on the first idle LUN, or else on the first LUN that can
// combine the program with its current operation. EvictionChoice selects the frame.
//
// A flash page has room for several pages, so a batch of evictions fills it; with static allocation
// all have the same home. If there are too few, later evictions join the batch until all of its
// members are ready; then the rest of the flash page is padded. With merging, a batch is a page and
// its neighbours in the address space, with or without frames. All frames of a batch stay in the
// buffer until its program has ended. One flash read brings all that a batch needs from a flash
// page.
//
// The map changes and the frames are reported as written when the program ends (release: program),
// or when its data are in the chip's register (datain). With datain, a read of the page finds its
// place in the LUN that is still programming it, and waits there.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/types.h"
#include "nvdimm/buffer/data.h"
#include "nvdimm/buffer/eviction_choice.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/map_traffic.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

class EvictionListener {
 public:
  virtual ~EvictionListener() = default;
  // Called when the frame's lines are safe in flash, while the frame is still in state `evicting`.
  // `gc`: time that the eviction waited for garbage collections.
  virtual void on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) = 0;
};

class Evictor final : private FlashRequester {
 public:
  Evictor(FrameRelease release, const NandParameters& nand, SyncBuffer& buffer, Ftl& ftl,
          FlashArray& flash, MapTraffic& map, PendingWork& pending, EvictionListener& listener,
          NvdimmData* data);

  struct Started {
    std::size_t pages = 0;
    std::size_t frames = 0;  // frames that will become free
  };
  // Starts evictions, up to a full flash page. Starts none if no frame can be evicted.
  Started start(Tick now);
  // Starts evictions like start(), but before a frame is needed, and only if a LUN can take the
  // work that is idle, or that programs and has room for a plane in its next program.
  Started start_early(Tick now);

  // Discards the page: data being written are dropped.
  void discard(LogicalPage page);

  bool idle() const { return evictions_.used() == 0; }
  std::size_t under_way() const { return evictions_.used(); }

  // Handles the result of the map lookup for the eviction's page.
  void on_mapped(std::uint32_t eviction, const GcWait& gc, Tick now);

  // Called when the LUN can take a program.
  void on_flash_idle(std::uint32_t lun, Tick now);

  void serialize(Archive& archive);

 private:
  struct Eviction {
    LogicalPage page;
    PhysicalPage target;               // first of a batch: the flash page
    std::uint32_t batch = kNoIndex;    // first eviction of its batch
    std::uint32_t next = kNoIndex;     // next in the batch
    std::uint32_t count = 0;           // first of a batch: number of evictions
    std::uint32_t coming = 0;          // first of a batch: evictions that are not ready
    std::uint32_t fetched = kNoIndex;  // next eviction that the same flash read completes
    std::uint32_t frames = kNoIndex;   // first frame, linked by Frame::link; merged: kNoIndex
    Tick unplaced_since{0};
    GcWait gc;  // waits of its reads and programs, and of the LUN that became free for it
    bool complete = false;  // the frames hold all lines of the page
    bool discarded = false;
    std::uint32_t stream = 0;

    void serialize(Archive& archive) {
      archive(page, target, coming, fetched, unplaced_since, gc, complete, discarded, stream);
    }
  };

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_data_in(const FlashCommand& command, Tick now) override;
  void on_flash_done(const FlashCommand& command, Tick now) override;

  // Calls `call` for each eviction of a chain; it may free that eviction.
  template <class Call>
  void for_chain(std::uint32_t first, std::uint32_t Eviction::*link, Call call) {
    for (std::uint32_t i = first; i != kNoIndex;) {
      const std::uint32_t next = evictions_.held(i).*link;
      call(i);
      i = next;
    }
  }
  template <class Call>
  void for_batch(std::uint32_t first, Call call) {
    for_chain(first, &Eviction::next, call);
  }
  template <class More>
  Started evict(std::uint32_t oldest, More more, Tick now);
  std::uint32_t evict_neighbours(std::uint32_t oldest, Started& started);
  std::uint32_t begin(LogicalPage page, std::uint32_t oldest, std::uint32_t before,
                      std::uint32_t stream, Started& started);
  std::uint32_t& open_batch(std::uint32_t home, std::uint32_t stream) {
    return open_[std::size_t{ftl_.shape().dynamic ? 0 : home} * ftl_.shape().streams + stream];
  }
  std::uint64_t take(std::uint32_t eviction, std::uint32_t frame);
  bool needs_read(std::uint32_t eviction) const;
  void complete_page(std::uint32_t eviction, Tick now);
  void complete_pages(std::uint32_t first, PartMask mapped, Tick now);
  void read(std::uint32_t eviction, Tick now);
  void ready(std::uint32_t eviction, Tick now);
  void close(std::uint32_t batch);
  void place(std::uint32_t batch, Tick now);
  void serialize_batches(Archive& archive);
  void serialize_frames(Archive& archive);
  void check_bounds(const Archive& archive) const;
  void program(std::uint32_t lun, std::uint32_t batch, Tick now);
  void submit(const FlashCommand& command, Tick now);
  void complete(const FlashCommand& program, Tick now);
  void commit(const Eviction& done, PhysicalPage at);

  SyncBuffer& buffer_;
  Ftl& ftl_;
  FlashArray& flash_;
  MapTraffic& map_;
  PendingWork& pending_;
  EvictionListener& listener_;
  NvdimmData* data_;  // nullptr: not in data mode
  FrameRelease release_;
  bool combines_;  // busy LUNs may take programs
  EvictionChoice choice_;
  const std::uint32_t most_;  // evictions per batch
  Pool<Eviction> evictions_;
  // Last eviction of each batch that others may join, by home with static allocation, and stream.
  std::vector<std::uint32_t> open_;
  Ring<std::uint32_t> unplaced_;  // batches that wait for an idle LUN
};

}  // namespace hmsim
