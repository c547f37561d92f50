// SPDX-License-Identifier: BSD-3-Clause
// Write path of one flash NVDIMM: places writes in frames of the buffer's write part, which
// evictions free.
//
// A write is ready when its page has a frame in the write part. Otherwise it waits, and one
// eviction is started for each waiting page. A write to a page whose eviction is in progress waits
// for the program to end and then reuses the frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "nvdimm/buffer/evictor.h"
#include "nvdimm/buffer/lookahead.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/command_table.h"

namespace hmsim {

class WritePath final : public EvictionListener {
 public:
  // `lookahead`: may be nullptr.
  WritePath(CommandTable& commands, SyncBuffer& buffer, const Lookahead* lookahead,
            Evictor& evictor);

  // Handles the end of a write's lookup: the write becomes ready or waits.
  Found look_up(std::uint32_t tag, CommandTable::Command& command, Tick now);
  // Assigns free frames to waiting pages, and starts the evictions that the other waiting pages
  // need. `gc`: time that the admitted pages waited for collections.
  void admit(Tick now, const GcWait& gc = {});
  // Releases a pin of the key's frame, which a read of several lines pinned beside another frame. A
  // pinned frame keeps its key.
  void unpin(std::int64_t key);
  // Handles the release of the frame's last pin.
  void unpinned(std::uint32_t frame);
  // Evicts pages before a write needs their frames, as far as the buffer manager wants.
  void keep_frames_free(Tick now);
  // Returns whether the buffer manager wants an early eviction.
  bool wants_free_frame() const {
    return lookahead_ != nullptr && lookahead_->wants_free_frame(leaving_);
  }
  // Starts at least one eviction and returns their number, or 0 if no frame can be evicted.
  std::size_t evict(Tick now);

  void serialize(Archive& archive) { archive(leaving_); }

 private:
  void accept(std::uint32_t frame, const GcWait& gc, Tick now);
  void on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) override;

  CommandTable& commands_;
  SyncBuffer& buffer_;
  const Lookahead* lookahead_;
  Evictor& evictor_;
  std::size_t leaving_ = 0;  // frames of the write part that evictions in progress will free
  bool starting_ = false;    // an eviction starts, and is not yet in leaving_
};

}  // namespace hmsim
