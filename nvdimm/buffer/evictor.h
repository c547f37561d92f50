// SPDX-License-Identifier: BSD-3-Clause
// Writing back pages of the write part.
//
// An eviction takes the least recently used dirty frame (item granularity: with all other unpinned
// dirty items of its page), looks the page up in the map, reads the page from flash first if some
// of its lines are neither here nor never written, and programs it: on its home LUN, or, with
// dynamic allocation, on the first LUN that has nothing else to do, or else the first that can
// combine the program with what it does. EvictionChoice says which frame is next.
//
// A flash page has room for several of them. So that it is programmed full, as many pages are
// evicted at a time, a batch: with static allocation, of the same home. Where there are fewer,
// later evictions join the batch until all that it has are ready; then the rest of the flash page
// is padded. When pages are merged, a batch is a page and those beside it in the address space,
// with or without frames. All frames of a batch stay in the buffer until its program is over. One
// flash read brings all that a batch lacks from a flash page.
//
// The map changes, and the frames are reported as written, when the program is over (release:
// program), or once its data are in the chip's register (datain). In the second case a read of the
// page finds its place in the LUN that still programs it, and waits there.
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
  // The frame's lines are safe in flash, after so much waiting for collections; it is still in
  // state `evicting`.
  virtual void on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) = 0;
};

class Evictor final : private FlashRequester {
 public:
  Evictor(FrameRelease release, const NandParameters& nand, SyncBuffer& buffer, Ftl& ftl,
          FlashArray& flash, MapTraffic& map, PendingWork& pending, EvictionListener& listener,
          NvdimmData* data);

  struct Started {
    std::size_t pages = 0;
    std::size_t frames = 0;  // that will be free
  };
  // Starts evictions, as many as fill a flash page if there are; none when no frame can go.
  Started start(Tick now);
  // As start(), before a frame is needed: only if a LUN has nothing better to do.
  Started start_early(Tick now);

  // The page's data are not wanted any more: what is being written is dropped.
  void discard(LogicalPage page);

  bool idle() const { return evictions_.used() == 0; }
  std::size_t under_way() const { return evictions_.used(); }

  // The eviction's page was looked up in flash.
  void on_mapped(std::uint32_t eviction, const GcWait& gc, Tick now);

  // The LUN can take a program.
  void on_flash_idle(std::uint32_t lun, Tick now);

  void serialize(Archive& archive);

 private:
  struct Eviction {
    LogicalPage page;
    PhysicalPage target;               // of a batch's first: the flash page
    std::uint32_t batch = kNoIndex;    // its first
    std::uint32_t next = kNoIndex;     // of the batch
    std::uint32_t count = 0;           // of a batch's first: its evictions
    std::uint32_t coming = 0;          // of a batch's first: those that are not ready
    std::uint32_t fetched = kNoIndex;  // the next one that the same flash read brings
    std::uint32_t frames = kNoIndex;   // the first of them, linked by Frame::link; merged: none
    Tick unplaced_since{0};
    GcWait gc;              // of its reads and programs, and of the LUN that became free for it
    bool complete = false;  // its frames hold all lines of the page
    bool discarded = false;

    void serialize(Archive& archive) {
      archive(page, target, coming, fetched, unplaced_since, gc, complete, discarded);
    }
  };

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_data_in(const FlashCommand& command, Tick now) override;
  void on_flash_done(const FlashCommand& command, Tick now) override;

  // With each eviction of a chain, which the call may give back.
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
                      Started& started);
  std::uint64_t take(std::uint32_t eviction, std::uint32_t frame);
  bool lacks(std::uint32_t eviction) const;
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
  void submit(FlashCommand& command, Tick now);
  void complete(std::uint32_t batch, Tick now);
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
  const std::uint32_t most_;  // evictions of a batch
  Pool<Eviction> evictions_;
  // Last evictions of batches that others may join: one, or, with static allocation, by home.
  std::vector<std::uint32_t> open_;
  Ring<std::uint32_t> unplaced_;  // batches that wait for an idle LUN
};

}  // namespace hmsim
