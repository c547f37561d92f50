// SPDX-License-Identifier: BSD-3-Clause
// NVDIMM as a storage device: requests become accesses sent to the memory controller. An access is
// a line of 64 bytes, or as many lines of a page as the NVDIMM takes in one memory request.
//
// A request copies its pages one after another in ascending order. A page is copied in passes over
// its lines (storage/nvdimm_driver.h). At most `window` accesses of a request are outstanding. A
// request ends when its accesses are done; with WriteEnd::accepted, writes need only be accepted.
// Only the NVDIMM accesses of a copy are simulated; the traces contain its DRAM misses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/request.h"
#include "storage/block_ledger.h"
#include "storage/nvdimm_driver.h"
#include "storage/page_mapper.h"
#include "storage/queued_device.h"

namespace hmsim {

class Host;

class NvdimmDevice final : public QueuedDevice<NvdimmDevice>, public Requester {
 public:
  explicit NvdimmDevice(const NvdimmDeviceParameters& parameters)
      : QueuedDevice(Bytes(0)), parameters_(parameters) {}
  // Connects the device before the first request. The port outlives the device. `requester` is the
  // device's index at the port.
  void connect(MemoryPort& port, std::uint16_t requester);
  // Sets the host of this device, which the device notifies when accesses end.
  void attach(Host& host) { host_ = &host; }

  void begin(std::uint32_t place, Tick now);  // for QueuedDevice
  void trim(std::uint64_t offset, std::uint64_t bytes, Tick now) override;
  Bytes granularity() const override { return kLineBytes; }
  bool is_memory() const override { return true; }
  bool notifies_others() const override { return true; }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    io_queue_.register_statistics(registry, path);
  }

  Tick next_event() const override { return events_.next_time(); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  void on_access(const Request& request, const DeviceTimes& times) override;
  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;

  Counter& completed() { return completed_; }  // accesses and flushes
  Histogram& response_times() { return ledger_.times(); }
  Histogram& response_times_in_collections() { return ledger_.times_in_collections(); }

 private:
  // resume: continues a request whose write was accepted while another request was sending.
  enum class Event : std::uint8_t { end, end_pause, resume, last = resume };

  // Remaining part of a request that is being copied. Indexed by the request's place in the
  // io_queue.
  struct Copying {
    // Page that is being copied.
    struct Page {
      std::uint64_t first_line = 0;
      std::int64_t lines = 0;     // 0: no page
      std::uint64_t pass = 0;     // from 0
      std::int64_t accesses = 0;  // accesses of this pass already sent
      std::uint32_t block = 0;    // number in the ledger, once an access is sent
      void serialize(Archive& archive) { archive(first_line, lines, pass, accesses, block); }
    };
    std::uint64_t next_line = 0;  // first line not yet assigned to a page
    std::uint64_t lines = 0;      // number of such lines
    std::int64_t outstanding = 0;
    std::int64_t fetches = 0;  // outstanding reads of a write request
    bool write = false;
    bool paused = true;  // waits for an event that continues or ends it
    Page page;

    // Returns whether the request may have something to do: accesses to send, or its completion.
    bool can_act() const { return page.lines > 0 || lines > 0 || outstanding == 0; }
    void serialize(Archive& archive) {
      archive(next_line, lines, outstanding, fetches, write, paused, page);
    }
  };

  void flush(std::uint32_t place, Tick now);
  void copy(std::uint32_t place, Tick now);
  // Sends accesses of the page. Returns false if some must wait.
  bool send_page(std::uint32_t place, Tick now);
  // Sends the access that begins `line` lines into the page.
  void send_access(std::uint32_t place, std::int64_t line, bool write, Tick now);
  std::int64_t accesses_of(std::int64_t lines) const {
    return (lines + access_lines_ - 1) / access_lines_;
  }
  Tick open_page(std::uint32_t place, Tick now);
  void schedule(Tick time, Event event, std::uint32_t place);
  // A write of a block access is safe only when it is done.
  bool writes_end_when_accepted() const {
    return !(blocks_ && access_lines_ > 1) && parameters_.driver.write_end == WriteEnd::accepted;
  }
  bool ends_when_accepted(const Request& request) const {
    return request.write && writes_end_when_accepted();
  }
  // Returns the parts of the time of the request that ends now.
  std::optional<DeviceTimes> parts_of(std::uint32_t place) const;
  void check_loaded(const Archive& archive) const;

  const NvdimmDeviceParameters parameters_;
  MemoryPort* port_ = nullptr;
  Host* host_ = nullptr;
  std::uint16_t requester_ = 0;
  std::int64_t access_lines_ = 1;  // most lines of an access
  bool blocks_ = false;            // MemoryPort::NvdimmTraits
  const Copy& copy_ = copy_of(parameters_.driver.copy);
  std::int64_t window_ = earlier(parameters_.window, copy_.window);
  std::vector<Copying> copying_;
  std::vector<std::optional<DeviceTimes>> latest_;  // by place: parts of the access that ended last
  BlockLedger ledger_;
  PageMapper mapper_;
  std::uint64_t epoch_ = 0;  // of the next access: fences and flushes so far
  // Place of the request that is sending an access; see on_admit().
  std::optional<std::uint32_t> sender_;
  EventQueue<Event> events_;
  Counter completed_ = 0;
};

}  // namespace hmsim
