// SPDX-License-Identifier: BSD-3-Clause
// Mover of pages between the two levels of a page cache: DRAM and a second memory on the memory
// bus.
#pragma once

#include <cstdint>
#include <optional>

#include "core/kernel.h"
#include "core/types.h"
#include "storage/server.h"

namespace hmsim {

struct PageMove {
  std::uint64_t frame = 0;  // of the second level; its 64 lines begin at 4 KiB x frame
  bool to_second = false;
  std::uint32_t tag = 0;  // unique among moves under way; returned on completion

  void serialize(Archive& archive) { archive(frame, to_second, tag); }
};

class PageMoveListener {
 public:
  // Reports that a move has ended. Called from within PageCopier::advance() only; may request
  // moves.
  virtual void on_page_moved(std::uint32_t tag, Tick now) = 0;

 protected:
  ~PageMoveListener() = default;
};

// Interface with the contract of StorageDevice: move() never refuses, and may make next_event()
// earlier.
class PageCopier : public Component {
 public:
  virtual void listen(PageMoveListener& listener) = 0;  // call before the first move
  virtual void move(const PageMove& move, Tick now) = 0;
  virtual Level& busy() = 0;  // 1 while a page moves
  // Returns whether the mover notifies components other than its listener (see StorageDevice).
  virtual bool notifies_others() const { return false; }
};

// Mover of one page at a time, each in the same time. It models a second level by its slowdown
// relative to DRAM.
class FixedMover final : public PageCopier {
 public:
  explicit FixedMover(Tick page_time) : page_time_(page_time) {}

  void listen(PageMoveListener& listener) override { listener_ = &listener; }
  void move(const PageMove& move, Tick now) override {
    if (server_.offer(move, now)) {
      moved_ = move;
      end_ = now + page_time_;
    }
  }
  Level& busy() override { return server_.level(); }

  Tick next_event() const override { return end_; }
  Tick advance(Tick now) override {
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
  void serialize(Archive& archive) override {
    archive.section("page mover");
    archive(server_, moved_, end_);
  }

 private:
  Tick page_time_;
  PageMoveListener* listener_ = nullptr;
  Server<PageMove> server_;
  PageMove moved_;  // valid while a move is under way
  Tick end_ = kNever;
};

}  // namespace hmsim
