// SPDX-License-Identifier: BSD-3-Clause
// SSD or flash card: the host's driver, a queue, a link, and flash with its buffer, FTL and garbage
// collection, which are those of a flash NVDIMM.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/kernel.h"
#include "core/pool.h"
#include "nvdimm/module/module.h"
#include "storage/flash_parameters.h"
#include "storage/queued_device.h"
#include "storage/server.h"

namespace hmsim {

// Block device over a flash module. A request passes the driver, takes a slot of the device's queue
// and, one command time later, is split into 4 KiB pages. A written page passes the link; then all
// its lines are commanded at once. For a read page, one line is commanded, which makes the module
// read the page; then the page passes the link. The request ends when all its pages have ended.
//
// A trim takes the way of a written page without data, so that earlier writes reach the module
// before it and later ones after it. If earlier writes to its range have not ended by then, it
// waits for them, and all later pages wait for it. The module discards the whole pages at once.
//
// If the module writes back at a flush, a flush is a barrier. Otherwise it takes one command time.
class FlashDevice final : public QueuedDevice<FlashDevice>, private AckListener {
 public:
  // `parameters` passed check(). `assignments`: those of the configuration, for policies.
  FlashDevice(const FlashParameters& parameters, Bytes capacity, std::uint64_t seed,
              const Assignments& assignments = {});

  void submit(const IoRequest& request, Tick now) override;
  bool takes_trims() const override { return true; }
  void begin(std::uint32_t place, Tick now);  // for QueuedDevice
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  BufferedPages buffered_pages() const override { return module_->buffered_pages(); }

  Tick next_event() const override { return earlier(events_.next_time(), clock_.next_event()); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  NvdimmModule& module() { return *module_; }

 private:
  friend struct FlashDeviceView;  // for tests

  enum class Event : std::uint8_t {
    driven,
    begin,
    moved_in,
    moved_out,
    flushed,
    trimmed,
    last = trimmed
  };
  enum class Stage : std::uint8_t { none, link_in, waiting, flash, link_out, last = link_out };
  static constexpr std::uint32_t kNoSlot = kNoIndex;

  // Part of a request within one page, or a whole trim.
  struct Page {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t place = kNoIndex;  // of the request
    std::uint32_t slot = kNoSlot;    // of flash_, in stage flash
    std::uint32_t acks = 0;          // outstanding, in stage flash; trim: slots of flash_
    bool write = false;              // or trim
    Stage stage = Stage::none;
    DeviceTimes times;

    void serialize(Archive& archive) {
      archive(offset, bytes, place, slot, acks, write, stage, times);
    }
  };

  void on_ack(std::uint32_t tag, Tick now) override;

  void drive(std::uint32_t place, Tick now);
  void execute(std::uint32_t place, Tick now);
  void add_page(std::uint32_t place, std::uint64_t offset, std::uint64_t bytes, Tick now);
  Server<std::uint32_t>& link(bool write) { return links_[write && parameters_.duplex ? 1 : 0]; }
  void to_link(std::uint32_t page, Tick now);
  void move(std::uint32_t page, Tick now);
  void moved(std::uint32_t page, Tick now);
  void to_flash(std::uint32_t page, Tick now);
  void command(std::uint32_t page, Tick now);
  bool overlaps_writes(const IoRequest& trim) const;
  void leave_flash(std::int64_t slots, Tick now);
  void acknowledged(std::uint32_t tag, Tick now);
  void end_page(std::uint32_t page, Tick now);
  void leave_queue(std::uint32_t place, Tick now,
                   const std::optional<DeviceTimes>& parts = std::nullopt);
  void handle(Event event, std::uint32_t payload, Tick now);
  static std::uint32_t first_line(const Page& page);
  static std::uint32_t lines(const Page& page);  // lines to command
  void index_pages(const Archive& archive);
  void check_indices(const Archive& archive) const;

  const FlashParameters parameters_;
  Kernel clock_;  // of the module
  std::unique_ptr<NvdimmModule> module_;
  Server<std::uint32_t> driver_;
  Slots<std::uint32_t> queue_;
  std::array<Server<std::uint32_t>, 2>
      links_;                   // [0]: to the host, or both ways; [1]: from the host
  Slots<std::uint32_t> flash_;  // each slot stands for the tags of one page
  EventQueue<Event> events_;
  Pool<Page> pages_;
  std::vector<std::uint32_t> free_slots_;  // slots of flash_
  std::vector<std::uint32_t> page_of_;     // by slot; not saved
  std::vector<std::uint32_t> acked_;       // tags acknowledged within advance()
  std::uint32_t flushing_ = kNoIndex;      // place of the flush under way
};

}  // namespace hmsim
