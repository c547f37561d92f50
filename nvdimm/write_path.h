// SPDX-License-Identifier: BSD-3-Clause
// Writes of one flash NVDIMM: into frames of the buffer's write part, which evictions free.
//
// A write is ready when its page has a frame in the write part. Else it waits for one, which is got
// by one eviction for each page that waits. A write to a page that is just being evicted waits for
// the program to end and then uses the same frame again.
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
  // `lookahead`: nullptr where there is none.
  WritePath(CommandTable& commands, SyncBuffer& buffer, const Lookahead* lookahead,
            Evictor& evictor);

  // The lookup of a write is over: it is ready, or waits.
  Found seek(std::uint32_t tag, CommandTable::Command& command, Tick now);
  // Frames for pages that wait for one, after so much waiting for collections; as many evictions as
  // are needed so that the rest will get one.
  void admit(Tick now, const GcWait& gc = {});
  // No command uses the frame any more.
  void unpinned(std::uint32_t frame);
  // Writes pages back before a write needs their frames, as far as the buffer manager wants.
  void keep_frames_free(Tick now);
  // The buffer manager would write pages back.
  bool wants_free_frame() const {
    return lookahead_ != nullptr && lookahead_->wants_free_frame(leaving_);
  }
  // Starts evictions, one at least, and tells how many; 0: no frame can go.
  std::size_t evict(Tick now);

  void serialize(Archive& archive) { archive(leaving_); }

 private:
  void accept(std::uint32_t frame, const GcWait& gc, Tick now);
  void on_frame_written(std::uint32_t frame, const GcWait& gc, Tick now) override;

  CommandTable& commands_;
  SyncBuffer& buffer_;
  const Lookahead* lookahead_;
  Evictor& evictor_;
  std::size_t leaving_ = 0;  // frames of the write part that will be free without more ado
};

}  // namespace hmsim
