// SPDX-License-Identifier: BSD-3-Clause
// Device side of one channel of high bandwidth flash, after OCP HBF 0.7.0: banks with page caches,
// the gathering of pages to write, and the rules of programs. The host maps, collects and
// refreshes.
//
//   read   answered at once from the bank's page cache; a miss senses its page after the bank's
//          earlier operations, moves it over the die's bus and corrects it. Reads of a page that is
//          being sensed wait for it (hbf.merge).
//   write  its parts gather until the page is complete; it is then coded, moved and programmed, and
//          all parts are answered at the end of the program. Page 0 erases its block first.
//
// Page p of the channel is in bank p modulo the number of banks, and is that bank's page p divided
// by it. So consecutive pages are in different banks, and blocks are filled in order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/kernel.h"
#include "core/key_map.h"
#include "core/line_store.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/hbf/bank_pages.h"
#include "nvdimm/hbf/block_states.h"
#include "nvdimm/hbf/hbf_parameters.h"
#include "nvdimm/hbf/hbf_status.h"
#include "nvdimm/nand/flash_array.h"
#include "nvdimm/nand/flash_media.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

using LineMask = std::uint64_t;  // lines of a page, one bit each

// Receives the answers: a read's data or a write's end. `pending`: a read gets the bytes of a page
// that is not programmed yet. `begun`: when the flash began to sense or program its page; `now`, if
// it did not. May call only the const functions of the device.
class HbfHost {
 public:
  virtual ~HbfHost() = default;
  virtual void on_answer(std::uint32_t tag, HbfStatus status, bool pending, Tick begun,
                         Tick now) = 0;
};

// Statistics of one channel, without those of its flash array.
struct HbfStatistics {
  Counter hits = 0;
  Counter merged = 0;
  Counter misses = 0;
  Counter pending_reads = 0;
  Counter pages = 0;
  std::array<Counter, kHbfStatuses> answers{};

  void serialize(Archive& archive);  // all fields, as the table in hbf_device.cc lists them
};

class HbfDevice final : private FlashClient, private FlashRequester {
 public:
  struct Shape {
    HbfParameters hbf;
    NandParameters nand;  // shaped by HbfParameters::shape()
    Bytes capacity{0};
    bool store_data = false;
  };
  // `tags`: requests have tags below this number, unique among unanswered ones.
  HbfDevice(const Shape& shape, HbfHost& host, std::size_t tags, std::uint64_t seed);

  void attach(const Kernel& kernel) { kernel_ = &kernel; }
  // Before any request: makes the first `pages` pages of a bank's block programmed, after `erases`
  // erases.
  void start_block(std::uint32_t bank, std::uint32_t block, std::uint32_t pages,
                   std::uint32_t erases) {
    blocks_.start(static_cast<std::size_t>(bank * blocks_per_bank_ + block), pages, erases);
    flash_.programmed().set(bank, block, pages);
  }

  // Takes a read of a page of the channel.
  void read(std::uint32_t tag, std::int64_t page, LineMask lines, Tick now);
  // Data mode: bytes of a unit's page that the next write() brings.
  PageBytes& incoming(std::uint32_t unit) { return incoming_[unit]; }
  // Data mode: returns the bytes of a line as a read would return them.
  LineBytes peek(Address line) const;
  // Data mode: returns the bytes that flash holds.
  LineBytes programmed(Address line) const { return bytes_->read(line); }
  // Data mode: power is lost at `now`. Pages whose program has ended survive; a block whose erase
  // has begun is empty. Afterwards only peek() and restore() from this device are allowed.
  void lose_power(Tick now);
  // Data mode, before any request: takes over the contents of a device of the same parameters. A
  // block whose last program was interrupted takes no page before page 0.
  void restore(const HbfDevice& before);

  // Takes a part of a page. `unit`: the host's number of the pending page, below
  // hbf.pending_writes, for all parts of the page. `first`: it begins a unit, which is free.
  void write(std::uint32_t tag, std::uint32_t unit, bool first, std::int64_t page, LineMask lines,
             Tick now);

  bool idle() const { return sensing_.used() == 0 && pending_ == 0; }
  std::int64_t pages() const { return banks_ * blocks_per_bank_ * pages_per_block_; }
  FlashArray& flash() { return flash_; }
  HbfStatistics& statistics() { return statistics_; }
  void reset_statistics(Tick now);

  Tick next_event() const { return earlier(flash_.next_event(), own_next_); }
  // Processes all events up to `now`, at equal times those of the flash array first.
  void advance(Tick now) {
    while (next_event() <= now) {
      if (flash_.next_event() <= own_next_) {
        flash_.advance(earlier(own_next_, now));  // does not change own_next_
      } else {
        advance_own();
      }
    }
  }
  Tick now() const override { return kernel_->now(); }
  void serialize(Archive& archive);

 private:
  struct Sense {
    std::int64_t page = 0;
    SlotChain readers;    // tags, linked by next_
    bool current = true;  // false: the page was written after the sense was requested
    Tick begun{0};        // when the flash began it
    void serialize(Archive& archive) { archive(page, current, begun); }
  };
  enum class UnitState : std::uint8_t { free, gathering, complete, late, last = late };
  struct Unit {
    std::int64_t page = 0;
    LineMask lines = 0;
    SlotChain parts;  // tags, linked by next_
    UnitState state = UnitState::free;
    std::uint32_t use = 0;  // number of its uses
    std::uint32_t age = 0;  // of its block when it was accepted
    bool started = false;   // its program has begun
    Tick begun = kNever;    // when the flash began to erase for it, or to program it
    bool erasing = false;   // for its page 0
    bool latest = false;    // unit_of_ refers to it
    void serialize(Archive& archive) {
      archive(page, lines, state, use, age, started, begun, erasing, latest);
    }
  };
  struct Deadline {  // of a unit's parts, or the end of its coding
    Tick time{0};
    std::uint32_t unit = 0;
    std::uint32_t use = 0;
    void serialize(Archive& archive) { archive(time, unit, use); }
  };

  std::uint32_t bank_of(std::int64_t page) const {
    return static_cast<std::uint32_t>(page % banks_);
  }
  std::size_t block_of(std::int64_t page) const {
    return static_cast<std::size_t>(page % banks_ * blocks_per_bank_ +
                                    page / banks_ / pages_per_block_);
  }
  std::uint32_t page_in_block(std::int64_t page) const {
    return static_cast<std::uint32_t>(page / banks_ % pages_per_block_);
  }
  PhysicalPage place_of(std::int64_t page) const {
    return PhysicalPage(page % banks_ * blocks_per_bank_ * pages_per_block_ + page / banks_);
  }

  void rebuild(const Archive& archive);
  void advance_own();
  void find_own_next();
  void forget(std::uint32_t unit);
  void end_sense(std::uint32_t index, Tick now);
  HbfStatus status_of(std::size_t block, std::uint32_t number) const;
  void complete(std::uint32_t unit, Tick now);
  void program(std::uint32_t unit, Tick now);
  void keep(std::uint32_t unit);
  void clear_block(std::int64_t page);
  void end_program(const FlashCommand& command, Tick now);
  void end_unit(std::uint32_t unit, HbfStatus status, Tick now);
  void answer(std::uint32_t tag, HbfStatus status, Tick begun, Tick now, bool pending = false);
  void submit(FlashOperation operation, std::int64_t page, std::uint32_t subject, Tick now);
  std::int64_t page_of(const FlashCommand& command) const;

  bool on_flash_start(const FlashCommand& command, Tick now) override;
  PhysicalPage flash_place(const FlashCommand& command) const override;
  void on_flash_done(const FlashCommand& command, Tick now) override;

  CellState cell_state(PhysicalPage place) const override {
    return {blocks_.erases(static_cast<std::size_t>(place.value() / pages_per_block_)), false};
  }

  const HbfParameters hbf_;
  HbfHost& host_;
  const Kernel* kernel_ = nullptr;
  const std::int64_t banks_;
  const std::int64_t blocks_per_bank_;
  const std::int64_t pages_per_block_;
  const bool merges_;
  FlashArray flash_;
  BlockStates blocks_;
  BankPages cache_;
  HbfStatistics statistics_;
  std::vector<std::uint32_t> next_;  // by tag
  Pool<Sense> sensing_;
  KeyMap sense_of_;  // page -> index in sensing_, if reads merge
  std::vector<Unit> units_;
  KeyMap unit_of_;                    // page -> its latest unit
  std::unique_ptr<LineStore> bytes_;  // data mode: of programmed pages
  std::vector<PageBytes> incoming_;   // data mode: of units
  std::int64_t pending_ = 0;          // units in use
  Ring<Deadline> deadlines_;          // of gathering units, in order of time
  Ring<Deadline> coding_;             // complete units, in order of time
  Tick own_next_ = kNever;            // next event that is not flash_'s
};

// Registers the statistics of the channels, combined.
void register_hbf_statistics(StatisticRegistry& registry, const std::vector<HbfDevice*>& devices);

}  // namespace hmsim
