// SPDX-License-Identifier: BSD-3-Clause
#include "storage/line_mover.h"

#include <optional>
#include <vector>

namespace hmsim {

void LineMover::move(const PageMove& move, Tick now) {
  if (server_.offer(move, now)) {
    moved_ = move;
    send(now);
  }
}

void LineMover::send(Tick now) {
  while (sent_ < kLinesPerPage && under_way_ < window_) {
    Request request;
    request.address = Address(static_cast<std::int64_t>(moved_.frame) * kPageBytes.value() +
                              sent_ * kLineBytes.value());
    request.tag = static_cast<std::uint32_t>(sent_);
    request.agent = requester_;
    request.memory = MemoryClass::nvdimm;
    request.write = moved_.to_second;
    ++sent_;
    ++under_way_;
    memory_.send(request, now);
  }
}

void LineMover::on_complete(const Request& /*request*/, Tick now) {
  --under_way_;
  send(now);
  if (under_way_ == 0) {
    done_ = now;
    host_->device_woke();
  }
}

Tick LineMover::advance(Tick now) {
  if (done_ > now) {
    return next_event();
  }
  done_ = kNever;
  const std::uint32_t tag = moved_.tag;
  const std::optional<PageMove> next = server_.end(now);
  moved_ = next.value_or(PageMove());
  sent_ = 0;
  if (next) {
    send(now);
  }
  listener_->on_page_moved(tag, now);
  return next_event();
}

void LineMover::serialize(Archive& archive) {
  archive.section("line mover");
  archive(server_, moved_, sent_, under_way_, done_);
  const auto frames =
      static_cast<std::uint64_t>(memory_.capacity(MemoryClass::nvdimm) / kPageBytes);
  archive.check_index(moved_.frame, frames, "a page moves to no place");
  server_.waiting().each([&](const PageMove& each) {
    archive.check_index(each.frame, frames, "a page moves to no place");
  });
  // These bound the addresses of lines, and how many are sent at a time.
  archive.check_index(sent_, kLinesPerPage + 1, "a page has other lines");
  archive.check(under_way_ >= 0, "a page waits for no lines");
}

}  // namespace hmsim
