// SPDX-License-Identifier: BSD-3-Clause
// Moves pages of a page cache's second level as lines of the NVDIMM, through the memory controller.
#pragma once

#include <cstdint>

#include "core/request.h"
#include "storage/host.h"
#include "storage/page_mover.h"
#include "storage/server.h"

namespace hmsim {

// One page after another, its 64 lines in ascending order, so many outstanding at a time: read from
// the second level, or written to it. The second level begins where the NVDIMM does. Of a line that
// moves the NVDIMM's half is simulated, as of a copy engine's (agents/node/copy_engine.h).
class LineMover final : public PageMover, public Requester {
 public:
  // The memory, which has the second level, outlives it; `requester`: its index there.
  LineMover(MemoryPort& memory, std::uint16_t requester, std::int64_t window)
      : memory_(memory), requester_(requester), window_(window) {}
  // Whose device it is part of: it acts when lines are done, which the memory tells.
  void attach(Host& host) { host_ = &host; }

  void listen(PageMoveListener& listener) override { listener_ = &listener; }
  void move(const PageMove& move, Tick now) override;
  void account(Tick now) override { server_.level().account(now); }
  void reset(Tick now) override { server_.level().reset(now); }
  double busy() const override { return server_.level().mean(); }
  bool tells_others() const override { return true; }

  Tick next_event() const override { return done_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  void on_complete(const Request& request, Tick now) override;

 private:
  void send(Tick now);

  MemoryPort& memory_;
  const std::uint16_t requester_;
  const std::int64_t window_;
  Host* host_ = nullptr;
  PageMoveListener* listener_ = nullptr;
  Server<PageMove> server_;
  PageMove moved_;              // while it moves anything
  std::int64_t sent_ = 0;       // of its lines
  std::int64_t under_way_ = 0;  // of these
  Tick done_ = kNever;          // when the last of them was, until somebody has been told
};

}  // namespace hmsim
