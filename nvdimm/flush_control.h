// SPDX-License-Identifier: BSD-3-Clause
// Flushes of one flash NVDIMM. After the ack of a flush, all earlier finished writes are durable.
//
// A flush keeps up to as many evictions in progress as the command queue has entries. It ends when
// the write part is empty and none of its pages is on its way to flash.
#pragma once

#include <cstdint>
#include <optional>

#include "core/types.h"
#include "nvdimm/buffer/evictor.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/command_table.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/parameters.h"
#include "nvdimm/write_path.h"

namespace hmsim {

class FlushControl {
 public:
  FlushControl(BufferFlush mode, CommandTable& commands, WritePath& writes, const Evictor& evictor,
               SyncBuffer& buffer, const PendingWork& pending)
      : mode_(mode),
        commands_(commands),
        writes_(writes),
        evictor_(evictor),
        buffer_(buffer),
        pending_(pending) {}

  // Starts the write-back of a flush whose lookup ended.
  void begin(std::uint32_t tag, Tick now) {
    tag_ = tag;
    write_back(now);
  }
  // Continues the flush, if any, after an eviction progressed or a posted write got its frame.
  void resume(Tick now) {
    if (tag_) {
      write_back(now);
    }
  }
  // Returns whether no posted write waits, the write part is empty and no flash write is pending.
  bool written_back() const {
    return commands_.posted().empty() && buffer_.write.free() == buffer_.write.capacity() &&
           pending_.all().writes == 0;
  }
  // Returns the tag of the flush that is writing back, or kNoIndex.
  std::uint32_t tag() const { return tag_.value_or(kNoIndex); }

  void serialize(Archive& archive) { archive(tag_); }

 private:
  void write_back(Tick now) {
    if (mode_ != BufferFlush::none) {
      for (std::size_t pages = 1; pages > 0 && evictor_.under_way() < commands_.size();) {
        pages = writes_.evict(now);
        buffer_.statistics().flushed_pages += pages;
      }
    }
    if (mode_ == BufferFlush::none || written_back()) {
      const std::uint32_t tag = *tag_;
      tag_.reset();
      commands_.end_flush(tag, now);
    }
  }

  const BufferFlush mode_;
  CommandTable& commands_;
  WritePath& writes_;
  const Evictor& evictor_;
  SyncBuffer& buffer_;
  const PendingWork& pending_;
  std::optional<std::uint32_t> tag_;  // of the flush that is writing back
};

}  // namespace hmsim
