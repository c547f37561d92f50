// SPDX-License-Identifier: BSD-3-Clause
// An SSD or a flash card: the host's driver, a queue, a link, and behind it flash with its buffer,
// its FTL and its garbage collection, which are those of a flash NVDIMM.
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
#include "storage/intake.h"
#include "storage/request.h"
#include "storage/server.h"

namespace hmsim {

// A request passes the driver, gets a place of the device's queue, and, a command later, is split
// into pages of 4 KiB. A page that is written passes the link, then its lines are commanded, all at
// once; of a page that is read one line is commanded, for which the module reads the page, and then
// it passes the link. The request ends when all its pages have.
//
// If the module writes back at a flush, a flush is a barrier; otherwise it takes a command's time.
class FlashDevice final : public StorageDevice, private AckListener {
 public:
  // `parameters` have passed check(). `assignments`: the configuration's, for those of policies.
  FlashDevice(const FlashParameters& parameters, Bytes capacity, std::uint64_t seed,
              const Assignments& assignments = {});

  void listen(IoListener& listener) override { intake_.listen(listener); }
  void submit(const IoRequest& request, Tick now) override;
  Bytes capacity() const override { return intake_.capacity(); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  void account(Tick now) override;

  Tick next_event() const override { return earlier(events_.next_time(), clock_.next_event()); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const Intake& intake() const { return intake_; }
  NvdimmModule& module() { return *module_; }

 private:
  friend struct FlashDeviceView;  // tests look at it

  enum class Event : std::uint8_t { driven, begin, moved_in, moved_out, flushed, last = flushed };
  enum class Stage : std::uint8_t { none, link_in, waiting, flash, link_out, last = link_out };
  static constexpr std::uint32_t kNoSlot = kNoIndex;

  // A part of a request within one page.
  struct Page {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t place = kNoIndex;  // the request's
    std::uint32_t slot = kNoSlot;    // flash
    std::uint32_t acks = 0;          // flash: to come
    bool write = false;
    Stage stage = Stage::none;

    void serialize(Archive& archive) { archive(offset, bytes, place, slot, acks, write, stage); }
  };

  void on_ack(std::uint32_t tag, Tick now) override;

  void start(Tick now);
  void drive(std::uint32_t place, Tick now);
  void begin(std::uint32_t place, Tick now);
  void add_page(std::uint32_t place, std::uint64_t offset, std::uint64_t bytes, Tick now);
  Server<std::uint32_t>& link(bool write) { return links_[write && parameters_.duplex ? 1 : 0]; }
  void to_link(std::uint32_t page, Tick now);
  void move(std::uint32_t page, Tick now);
  void moved(std::uint32_t page, Tick now);
  void to_flash(std::uint32_t page, Tick now);
  void command(std::uint32_t page, Tick now);
  void acknowledged(std::uint32_t tag, Tick now);
  void end_page(std::uint32_t page, Tick now);
  void end(std::uint32_t place, Tick now);
  void handle(Event event, std::uint32_t payload, Tick now);
  static std::uint32_t first_line(const Page& page);
  static std::uint32_t lines(const Page& page);  // that are commanded
  void index_pages(const Archive& archive);
  void check_indices(const Archive& archive) const;

  const FlashParameters parameters_;
  Intake intake_;
  Kernel clock_;  // the module's
  std::unique_ptr<NvdimmModule> module_;
  Server<std::uint32_t> driver_;
  Slots<std::uint32_t> queue_;
  std::array<Server<std::uint32_t>, 2> links_;  // to the host, and from it if that is another
  Slots<std::uint32_t> flash_;                  // of which each has a page's tags
  EventQueue<Event> events_;
  Pool<Page> pages_;
  std::vector<std::uint32_t> free_slots_;  // of flash_
  // Not saved: pages that have not ended, by the request's place; the page of each slot.
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> page_of_;
  std::vector<std::uint32_t> acked_;   // tags, within advance()
  std::uint32_t flushing_ = kNoIndex;  // the request
};

}  // namespace hmsim
