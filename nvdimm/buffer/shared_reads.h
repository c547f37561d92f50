// SPDX-License-Identifier: BSD-3-Clause
// Flash reads shared by several items of a page (nvdimm.buffer.item_reads: shared).
//
// The first missing item of a page starts a flash read; its frame leads the read. Until the page
// arrives, other missing items of the page join: while the read waits for the map or its LUN, while
// the cells work, and while the page is in the LUN's register, crosses the channel or is decoded.
// They take their lines when the page arrives. The page is not kept after that.
//
// A started read brings the page from the place at its start. If the page has been programmed
// elsewhere since then, no further item joins. Such an item has a separate flash read, which no
// other item joins.
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
  // Opens a read of the page, led by the frame. Others may join it unless an earlier read is open.
  void open(LogicalPage page, std::uint32_t leader);
  // Records that the leader's read starts at `place`.
  void start(LogicalPage page, std::uint32_t leader, PhysicalPage place);
  // Returns whether a read of the page may be joined. `place`: the page's current place.
  bool joinable(LogicalPage page, PhysicalPage place) const;
  // Closes the leader's read. Returns whether others may have joined it.
  bool close(LogicalPage page, std::uint32_t leader);
  // Closes the page's read when no frame waits for it any more.
  void close(LogicalPage page);

  // Includes the frames that have joined. The buffer must already be loaded.
  void serialize(Archive& archive, SyncBuffer& buffer);

 private:
  struct Read {
    std::uint32_t leader = kNoIndex;
    PhysicalPage place = kNowhere;  // kNowhere until it starts

    void serialize(Archive& archive) { archive(leader, place); }
  };

  // Returns the leader's read, or kNoIndex if others may not join it.
  std::uint32_t find(LogicalPage page, std::uint32_t leader) const;
  void load(const Archive& archive, SyncBuffer& buffer, const std::vector<std::uint32_t>& joined);

  Pool<Read> reads_;
  KeyMap of_page_;
};

}  // namespace hmsim
