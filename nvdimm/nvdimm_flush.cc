// SPDX-License-Identifier: BSD-3-Clause
// Flushes: what is done is durable, once they are acknowledged.
#include <utility>

#include "core/errors.h"
#include "nvdimm/nvdimm.h"

namespace hmsim {

void Nvdimm::flush(std::uint32_t tag, Tick now) {
  ensure(tag < commands_.size() && unfinished_ == posted_.size(), "nvdimm", now, tag,
         "a flush meets commands that are unfinished");
  commands_[tag] = Command();
  commands_[tag].stage = Stage::waiting;
  ++unfinished_;
  pending_.begin();
  pending_.wait();
  events_.schedule(now + lookup_time_, EventKind::flush, tag);
  is_due(next_of_all());
}

// Keeps as many evictions under way as the queue has entries, until nothing is left of the write
// part, neither here nor on its way to flash.
void Nvdimm::write_back(Tick now) {
  if (parameters_.buffer.flush == BufferFlush::none) {
    end_flush(now);
    return;
  }
  while (evictor_.under_way() < commands_.size()) {
    const std::size_t frames = evictor_.start(now);
    if (frames == 0) {
      break;
    }
    leaving_ += frames;
    ++statistics_.flushed_pages;
  }
  if (written_back()) {
    end_flush(now);
  }
}

bool Nvdimm::written_back() const {
  return posted_.empty() && buffer_.write.free() == buffer_.write.capacity() &&
         pending_.all().writes == 0;
}

void Nvdimm::end_flush(Tick now) {
  const std::uint32_t tag = std::exchange(flush_, kNoIndex);
  commands_[tag].stage = Stage::ready;
  pending_.resume();
  host_.on_ack(tag, now);
}

}  // namespace hmsim
