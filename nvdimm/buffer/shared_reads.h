// SPDX-License-Identifier: BSD-3-Clause
// Flash reads that several items of a page share (nvdimm.buffer.item_reads: shared).
//
// The first item of a page that is missing starts a flash read; its frame leads the read. Until the
// page has arrived, other items of the page that are missing join: while the read waits for the map
// or its LUN, while the cells work, and while the page is in the LUN's register, crosses the
// channel or is decoded. They take their lines when the page has arrived. Nothing keeps the page
// after that.
//
// A read that has started brings the page from the place that it had then. If the page has been
// programmed elsewhere since, no further item joins; such an item has a flash read that none joins.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/types.h"
#include "nvdimm/buffer/sync_buffer.h"

namespace hmsim {

class SharedReads {
 public:
  // The frame leads a read of the page. Others may join it, unless there is an earlier read.
  void open(LogicalPage page, std::uint32_t leader);
  // The leader's read starts at the page's place.
  void start(LogicalPage page, std::uint32_t leader, PhysicalPage place);
  // Whether a read of the page, which is at `place` now, may be joined.
  bool joinable(LogicalPage page, PhysicalPage place) const;
  // The leader's read is over. Returns whether others may have joined it.
  bool close(LogicalPage page, std::uint32_t leader);
  // No frame waits for the page any more.
  void close(LogicalPage page);

  // With the frames that have joined. The buffer is loaded before.
  void serialize(Archive& archive, SyncBuffer& buffer);

 private:
  struct Read {
    std::uint32_t leader = kNoIndex;
    PhysicalPage place = kNowhere;  // until it starts

    void serialize(Archive& archive) { archive(leader, place); }
  };

  // The leader's read, or none if others may not join it.
  std::uint32_t find(LogicalPage page, std::uint32_t leader) const;
  void load(const Archive& archive, SyncBuffer& buffer, const std::vector<std::uint32_t>& joined);

  Pool<Read> reads_;
  KeyMap of_page_;
};

}  // namespace hmsim
