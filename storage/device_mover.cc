// SPDX-License-Identifier: BSD-3-Clause
#include "storage/device_mover.h"

#include <optional>

namespace hmsim {

void DeviceMover::move(const PageMove& move, Tick now) {
  if (server_.offer(move, now)) {
    begin(move, now);
  }
}

void DeviceMover::begin(const PageMove& move, Tick now) {
  IoRequest request;
  request.kind = move.to_second ? IoRequest::Kind::write : IoRequest::Kind::read;
  request.offset = move.frame * static_cast<std::uint64_t>(kPageBytes.value());
  request.bytes = static_cast<std::uint64_t>(kPageBytes.value());
  request.tag = move.tag;
  device_.submit(request, now);
}

void DeviceMover::on_io_done(std::uint32_t tag, Tick now) {
  if (const std::optional<PageMove> next = server_.end(now)) {
    begin(*next, now);
  }
  listener_->on_page_moved(tag, now);
}

void DeviceMover::serialize(Archive& archive) {
  archive.section("page mover");
  server_.serialize(archive);
  device_.serialize(archive);
  const auto frames = static_cast<std::uint64_t>(device_.capacity() / kPageBytes);
  server_.waiting().each([&](const PageMove& each) {
    archive.check_index(each.frame, frames, "move of a page without a target");
  });
}

}  // namespace hmsim
