// SPDX-License-Identifier: BSD-3-Clause
// Mover of a page cache's second level by reads and writes of the device that holds it.
#pragma once

#include <optional>

#include "storage/page_copier.h"
#include "storage/request.h"
#include "storage/server.h"

namespace hmsim {

// Mover of one page at a time. The second level starts at byte 0 of the device.
class DeviceMover final : public PageCopier, private IoListener {
 public:
  // The device outlives the mover, which advances it and is its listener.
  explicit DeviceMover(StorageDevice& device) : device_(device) { device.listen(*this); }

  void listen(PageMoveListener& listener) override { listener_ = &listener; }
  void move(const PageMove& move, Tick now) override {
    if (server_.offer(move, now)) {
      begin(move, now);
    }
  }
  Level& busy() override { return server_.level(); }
  bool notifies_others() const override { return device_.notifies_others(); }

  Tick next_event() const override { return device_.next_event(); }
  Tick advance(Tick now) override { return device_.advance(now); }
  void serialize(Archive& archive) override {
    archive.section("page mover");
    server_.serialize(archive);
    device_.serialize(archive);
    const auto frames = static_cast<std::uint64_t>(device_.capacity() / kPageBytes);
    server_.waiting().each([&](const PageMove& each) {
      archive.check_index(each.frame, frames, "move of a page without a target");
    });
  }

 private:
  void begin(const PageMove& move, Tick now) {
    IoRequest request;
    request.kind = move.to_second ? IoRequest::Kind::write : IoRequest::Kind::read;
    request.offset = move.frame * static_cast<std::uint64_t>(kPageBytes.value());
    request.bytes = static_cast<std::uint64_t>(kPageBytes.value());
    request.tag = move.tag;
    device_.submit(request, now);
  }
  void on_io_done(std::uint32_t tag, Tick now) override {
    if (const std::optional<PageMove> next = server_.end(now)) {
      begin(*next, now);
    }
    listener_->on_page_moved(tag, now);
  }

  StorageDevice& device_;
  PageMoveListener* listener_ = nullptr;
  Server<PageMove> server_;
};

}  // namespace hmsim
