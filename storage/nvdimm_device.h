// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMM as a storage device: requests become lines of 64 bytes, sent to the memory controller.
//
// A request copies its pages one after another in ascending order. A page is copied in passes over
// its lines (storage/nvdimm_driver.h). At most `window` accesses of a request are outstanding. A
// request ends when its accesses are done, or accepted, as its driver has it. Of a line that is
// copied, the NVDIMM's half is simulated; traces hold the misses that the copy had in DRAM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/request.h"
#include "storage/block_ledger.h"
#include "storage/intake.h"
#include "storage/nvdimm_driver.h"
#include "storage/page_mapper.h"
#include "storage/request.h"

namespace hmsim {

class Host;

class NvdimmDevice final : public StorageDevice, public Requester {
 public:
  explicit NvdimmDevice(const NvdimmDeviceParameters& parameters) : parameters_(parameters) {}
  // Before the first request. The port outlives the device; `requester`: the device's index there.
  void connect(MemoryPort& port, std::uint16_t requester);
  // The host whose device it is part of, which the device wakes when accesses end.
  void attach(Host& host) { host_ = &host; }

  void listen(IoListener& listener) override;
  void submit(const IoRequest& request, Tick now) override;
  void trim(std::uint64_t offset, std::uint64_t bytes, Tick now) override;
  Bytes capacity() const override { return intake_.capacity(); }
  Bytes granularity() const override { return kLineBytes; }
  bool is_memory() const override { return true; }
  bool tells_others() const override { return true; }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  void account(Tick now) override { intake_.account(now); }

  Tick next_event() const override { return events_.next_time(); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;

  Counter& completed() { return completed_; }  // lines and flushes
  Histogram& response_times() { return ledger_.times(); }
  Histogram& response_times_in_collections() { return ledger_.times_in_collections(); }

 private:
  // go_on: a write was accepted while another request was sending.
  enum class Event : std::uint8_t { end, end_pause, go_on, last = go_on };

  // Rest of a request that is being copied, by its place in the intake.
  struct Copying {
    // The page that is being copied.
    struct Page {
      std::uint64_t first_line = 0;
      std::int64_t lines = 0;     // 0: no page is being copied
      std::uint64_t pass = 0;     // from 0
      std::int64_t accesses = 0;  // of this pass that are sent
      std::uint32_t block = 0;    // in the ledger, once an access is sent
    };
    std::uint64_t next_line = 0;  // the first line that no page holds yet
    std::uint64_t lines = 0;      // from there on
    std::int64_t outstanding = 0;
    std::int64_t fetches = 0;  // outstanding reads of a write request
    bool write = false;
    bool paused = true;  // an event lets it continue, or ends it
    Page page;

    // Whether it may have something to do: accesses to send, or its end to report.
    bool can_act() const { return page.lines > 0 || lines > 0 || outstanding == 0; }
    void serialize(Archive& archive);
  };

  void start(Tick now);
  void flush(std::uint32_t place, Tick now);
  void copy(std::uint32_t place, Tick now);
  // Sends accesses of the page; false: some must wait.
  bool send_page(std::uint32_t place, Tick now);
  void send_line(std::uint32_t place, std::uint64_t line, bool write, Tick now);
  Tick open_page(std::uint32_t place, Tick now);
  void schedule(Tick time, Event event, std::uint32_t place);
  bool ends_when_accepted(const Request& request) const {
    return request.write && parameters_.driver.write_end == WriteEnd::accepted;
  }
  void check_loaded(const Archive& archive) const;

  const NvdimmDeviceParameters parameters_;
  MemoryPort* port_ = nullptr;
  Host* host_ = nullptr;
  IoListener* listener_ = nullptr;
  std::uint16_t requester_ = 0;
  const Copy& copy_ = copy_of(parameters_.driver.copy);
  const std::int64_t window_ = earlier(parameters_.window, copy_.window);
  Intake intake_{Bytes(0)};
  std::vector<Copying> copying_;
  BlockLedger ledger_;
  PageMapper mapper_;
  std::uint64_t epoch_ = 0;              // of what is sent next: fences and flushes so far
  std::optional<std::uint32_t> sender_;  // the request that is sending an access: see on_admit()
  EventQueue<Event> events_;
  Counter completed_ = 0;
};

}  // namespace hmsim
