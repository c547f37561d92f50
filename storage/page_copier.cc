// SPDX-License-Identifier: BSD-3-Clause
#include "storage/page_copier.h"

#include <optional>

namespace hmsim {

void FixedMover::move(const PageMove& move, Tick now) {
  if (server_.offer(move, now)) {
    moved_ = move;
    end_ = now + page_time_;
  }
}

Tick FixedMover::advance(Tick now) {
  while (end_ <= now) {
    const Tick time = end_;
    const std::uint32_t tag = moved_.tag;
    const std::optional<PageMove> next = server_.end(time);
    end_ = next ? time + page_time_ : kNever;
    moved_ = next.value_or(PageMove());
    listener_->on_page_moved(tag, time);
  }
  return next_event();
}

void FixedMover::serialize(Archive& archive) {
  archive.section("page mover");
  archive(server_, moved_, end_);
}

}  // namespace hmsim
