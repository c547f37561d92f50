// SPDX-License-Identifier: BSD-3-Clause
// What moves pages between the first level of a page cache, which is DRAM, and the second, which is
// on the memory bus, too.
#pragma once

#include <cstdint>

#include "core/event_queue.h"
#include "core/kernel.h"
#include "core/types.h"
#include "storage/server.h"

namespace hmsim {

struct PageMove {
  std::uint64_t frame = 0;  // of the second level: its 64 lines begin at 4 KiB times this
  bool to_second = false;
  std::uint32_t tag = 0;  // unique among those under way; comes back with the end

  void serialize(Archive& archive) { archive(frame, to_second, tag); }
};

class PageMoveListener {
 public:
  // From within PageMover::advance() only; may ask for moves at once.
  virtual void on_page_moved(std::uint32_t tag, Tick now) = 0;

 protected:
  ~PageMoveListener() = default;
};

// Contract as StorageDevice's: move() never refuses; after it next_event() may be earlier.
class PageMover : public Component {
 public:
  virtual void listen(PageMoveListener& listener) = 0;  // before anything is moved
  virtual void move(const PageMove& move, Tick now) = 0;
  // Brings what is counted over time up to now.
  virtual void account(Tick /*now*/) {}
  virtual void reset(Tick /*now*/) {}
  // Mean share of time in which it moves something.
  virtual double busy() const = 0;
  // Whether it tells anybody but its listener of anything.
  virtual bool tells_others() const { return false; }
};

// Moves one page after another, each in the same time: a second level that is known by how much
// slower than DRAM it is.
class FixedMover final : public PageMover {
 public:
  explicit FixedMover(Tick page_time) : page_time_(page_time) {}

  void listen(PageMoveListener& listener) override { listener_ = &listener; }
  void move(const PageMove& move, Tick now) override;
  void account(Tick now) override { server_.level().account(now); }
  void reset(Tick now) override { server_.level().reset(now); }
  double busy() const override { return server_.level().mean(); }

  Tick next_event() const override { return end_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  Tick page_time_;
  PageMoveListener* listener_ = nullptr;
  Server<PageMove> server_;
  PageMove moved_;  // while it moves anything
  Tick end_ = kNever;
};

}  // namespace hmsim
