// SPDX-License-Identifier: BSD-3-Clause
// A cached map's traffic with flash: translation pages are read for entries that are missing, and
// written when changed entries have left the cache. With the full map nothing happens here.
//
// A translation page is read once for all that wait for it. One that is to be written is read
// first, if flash holds it, and serves those who miss its entries while the controller has it. The
// cache gives up an entry at once; its page is written in the background (as in MQSim), by at most
// as many programs at a time as there are LUNs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/slot_list.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

// Who asks for an entry, and a number of his own, in one cookie.
enum class MapUser : std::uint8_t { demand, prefetch, eviction };
inline constexpr std::uint32_t kMapUsers = 3;
inline std::uint32_t map_cookie(MapUser user, std::uint32_t number) {
  return number * kMapUsers + static_cast<std::uint32_t>(user);
}

class MapListener {
 public:
  virtual ~MapListener() = default;
  // The entry that `cookie` asked for was read, after so much waiting for collections.
  virtual void on_mapped(std::uint32_t cookie, const GcWait& gc, Tick now) = 0;
};

class MapTraffic final : private FlashRequester {
 public:
  MapTraffic(Ftl& ftl, FlashArray& flash, PendingWork& pending, MapListener& listener);

  // Whether the page's place is known now; else the listener will be told.
  bool look_up(LogicalPage page, std::uint32_t cookie, Tick now);
  // Begins what the cache wants written. To be called when the map may have changed.
  void write_back(Tick now);

  void serialize(Archive& archive);

 private:
  // What is done with one translation page.
  struct Visit {
    std::uint32_t page = kNoIndex;
    SlotChain waiters;
    bool reading = false;
    bool writes = false;             // it is to be programmed, ...
    bool again = false;              // ... and after that once more
    PhysicalPage target = kNowhere;  // being programmed there

    void serialize(Archive& archive) { archive(page, reading, writes, again, target); }
  };
  struct Waiter {
    LogicalPage page;
    std::uint32_t cookie = 0;
    std::uint32_t next = kNoIndex;  // of the visit

    void serialize(Archive& archive) { archive(page, cookie); }
  };

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override;
  void on_flash_done(const FlashCommand& command, Tick now) override;

  std::uint32_t begin(std::uint32_t page);
  void end(std::uint32_t visit);
  void read(std::uint32_t visit, Tick now);
  void program(std::uint32_t visit, Tick now);
  void submit(FlashOperation operation, std::uint32_t lun, std::uint32_t visit, Tick now);
  void wait(std::uint32_t visit, LogicalPage page, std::uint32_t cookie);
  void serve(std::uint32_t visit, const GcWait& gc, Tick now);
  bool in_flash(std::uint32_t page) const {
    return ftl_.pages().place(ftl_.shape().map_page(page)) != kNowhere;
  }

  Ftl& ftl_;
  FlashArray& flash_;
  PendingWork& pending_;
  MapListener& listener_;
  Pool<Visit> visits_;
  Pool<Waiter> waiters_;
  std::uint32_t writing_ = 0;  // visits that write
  KeyMap visit_of_;            // by translation page
};

}  // namespace hmsim
