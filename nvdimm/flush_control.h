// SPDX-License-Identifier: BSD-3-Clause
// Flushes of one flash NVDIMM: what is done is durable, once they are acknowledged.
//
// As many evictions are kept under way as the queue has entries, until nothing is left of the write
// part, neither there nor on its way to flash.
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

  // The lookup of the flush is over.
  void begin(std::uint32_t tag, Tick now) {
    tag_ = tag;
    write_back(now);
  }
  // An eviction has come further, or a posted write has its frame.
  void go_on(Tick now) {
    if (tag_) {
      write_back(now);
    }
  }
  // Nothing waits for the write part, is in it, or on its way from there to flash.
  bool written_back() const {
    return commands_.posted().empty() && buffer_.write.free() == buffer_.write.capacity() &&
           pending_.all().writes == 0;
  }
  // The tag of a flush that writes back, or kNoIndex.
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
  std::optional<std::uint32_t> tag_;  // of one that writes back
};

}  // namespace hmsim
