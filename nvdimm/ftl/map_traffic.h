// SPDX-License-Identifier: BSD-3-Clause
// Flash traffic of a cached map: reads translation pages for missing entries and writes those whose
// changed entries left the cache. With a full map there is no traffic.
//
// One read of a translation page serves all that wait for it. A page to be written is read first if
// flash holds it, and serves misses of its entries while the controller has it. The cache evicts an
// entry at once; its page is written in the background (as in MQSim). The number of programs in
// progress is at most the number of LUNs.
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

// User of an entry; a cookie combines it with a number that the user chooses.
enum class MapUser : std::uint8_t { demand, prefetch, eviction };
inline constexpr std::uint32_t kMapUsers = 3;
inline std::uint32_t map_cookie(MapUser user, std::uint32_t number) {
  return number * kMapUsers + static_cast<std::uint32_t>(user);
}

class MapListener {
 public:
  virtual ~MapListener() = default;
  // Called when the entry requested with `cookie` has been read. `gc`: its wait for collections.
  virtual void on_mapped(std::uint32_t cookie, const GcWait& gc, Tick now) = 0;
};

class MapTraffic final : private FlashRequester {
 public:
  MapTraffic(Ftl& ftl, FlashArray& flash, PendingWork& pending, MapListener& listener);

  // Returns true if the page's place is known now. Otherwise calls on_mapped() later.
  bool look_up(LogicalPage page, std::uint32_t cookie, Tick now);
  // Starts the writes that the cache requests. Call it whenever the map may have changed.
  void write_back(Tick now);

  void serialize(Archive& archive);

 private:
  // Work on one translation page.
  struct Visit {
    std::uint32_t page = kNoIndex;
    SlotChain waiters;
    bool reading = false;
    bool writes = false;             // it will be programmed ...
    bool again = false;              // ... and once more after that
    PhysicalPage target = kNowhere;  // place being programmed

    void serialize(Archive& archive) { archive(page, reading, writes, again, target); }
  };
  struct Waiter {
    LogicalPage page;
    std::uint32_t cookie = 0;
    std::uint32_t next = kNoIndex;  // in the visit's chain

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
  KeyMap visit_of_;            // translation page -> visit
};

}  // namespace hmsim
