// SPDX-License-Identifier: BSD-3-Clause
// Paging: page frames in memory, and the storage to which the system swaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/slot_list.h"
#include "storage/frames.h"
#include "storage/host.h"
#include "storage/request.h"
#include "storage/server.h"
#include "storage/swap_slots.h"

namespace hmsim {

struct PagingParameters {
  Bytes memory{0};  // 0: no paging
  std::string replacement = "lru";
  Tick trap = 2 * kMicrosecond;
  Tick swap = 5 * kMicrosecond;
  std::int64_t write_cluster = 1;  // pages
  std::int64_t read_cluster = 1;

  bool present() const { return memory != Bytes(0); }
  void declare(ParameterSet& set);  // under "paging."
  std::vector<ParameterError> check() const;
};

// 4 KiB page of an address space.
struct VirtualPage {
  std::uint16_t space = 0;  // below 4096
  std::uint64_t page = 0;   // below 2^52

  std::int64_t key() const {
    constexpr int kPageBits = 52;
    return static_cast<std::int64_t>(page | std::uint64_t{space} << kPageBits);
  }
};

class PagingListener {
 public:
  // Reports that the page of the client's fault is resident and touched. Called only from within
  // advance() of the host or the pager. May begin another fault.
  virtual void on_page(Tick now) = 0;

 protected:
  ~PagingListener() = default;
};

struct PagingCounts {
  Counter faults = 0;
  Counter zero_fills = 0;  // first touches, without I/O
  Counter reads = 0;
  Counter writes = 0;             // dirty pages evicted
  Counter read_ahead = 0;         // of the reads, pages that no fault asked for
  Counter read_ahead_used = 0;    // of these, those that were touched
  Counter read_ahead_unused = 0;  // of these, those evicted untouched
  Histogram latency;              // of faults, in picoseconds

  void serialize(Archive& archive) {
    archive(faults, zero_fills, reads, writes, read_ahead, read_ahead_used, read_ahead_unused,
            latency);
  }
};

// Pager. A fault first takes the trap time. Then its page gets a frame; if another page must leave
// it, that page is written first if dirty. Then the page is read, if it was ever written. Each I/O
// passes the swap path, one at a time, and then the storage's own software.
//
// With a write cluster of 1, a page has one slot on the device, in the order of first faults. With
// more, a full memory evicts as many pages at once, and a page gets its slot when it is written.
// With a read cluster above 1, a fault also reads the absent pages in neighbouring slots.
class Pager final : public Component, private IoListener {
 public:
  // `parameters` passed check(). The host outlives the pager.
  Pager(const PagingParameters& parameters, Host& host, const Assignments& assignments);
  void attach(Wakeup wakeup) { wakeup_ = wakeup; }

  // Adds a client that touches pages, and returns its number.
  std::uint16_t join(PagingListener& client);

  bool is_resident(const VirtualPage& page) const { return resident(frame_of(page)); }
  // Touches a resident page.
  void use(const VirtualPage& page, bool write);
  // Touches an absent page; on_page() reports completion. A client has at most one fault at a time.
  // Throws InputError if the device has no room for another page.
  void fault(std::uint16_t client, const VirtualPage& page, bool write, Tick now);

  const PagingCounts& counts() const { return counts_; }
  void register_statistics(StatisticRegistry& registry);

  Tick next_event() const override { return events_.next_time(); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  enum class Event : std::uint8_t { trapped, issued, last = issued };

  struct Touch {
    std::uint32_t page = 0;  // page number
    std::uint16_t client = 0;
    std::uint32_t next = kNoIndex;  // in a SlotChain of a frame
    bool write = false;
    Tick begin{0};

    void serialize(Archive& archive) { archive(page, client, next, write, begin); }
  };
  struct Io {
    std::uint32_t frame = kNoIndex;  // kNoIndex: free
    bool write = false;
    bool issued = false;

    void serialize(Archive& archive) { archive(frame, write, issued); }
  };

  void on_io_done(std::uint32_t tag, Tick now) override;

  auto links() { return links_of(touches_.data(), &Touch::next); }
  bool resident(std::uint32_t frame) const {
    return frame != kNoIndex && holds_page(frames_[frame]);
  }
  std::uint32_t frame_of(const VirtualPage& page) const {
    const std::uint32_t number = numbers_.find(page.key());
    return number == kNoIndex ? kNoIndex : frames_.find(number);
  }
  std::uint32_t number_of(const VirtualPage& page);
  std::uint32_t bring(std::uint32_t page);
  void touched(Frame& frame, bool write);
  void look_up(std::uint32_t touch, Tick now);
  void end(std::uint32_t touch, std::uint32_t frame, Tick now);
  void admit(Tick now);
  void fill(std::uint32_t frame, Tick now);
  void filled(std::uint32_t frame, Tick now);
  bool evict_cluster(Tick now);
  void evict(std::uint32_t frame, Tick now);
  void gone(std::uint32_t frame, Tick now);
  void ask(std::uint32_t frame, bool write, Tick now);
  void issue(std::uint32_t io, Tick now);
  void check_indices(const Archive& archive) const;

  const PagingParameters parameters_;
  Host& host_;
  std::uint16_t client_;  // the pager's number at the host
  Wakeup wakeup_;
  std::vector<PagingListener*> listeners_;
  PagingCounts counts_;
  BufferPart frames_;               // keyed by page number
  std::vector<std::int64_t> keys_;  // of pages, by page number
  KeyMap numbers_;                  // page numbers, by key
  SwapSlots slots_;                 // of pages that the device holds
  Pool<Touch> touches_;             // faults under way
  Pool<Io> ios_;
  Server<std::uint32_t> swap_;
  EventQueue<Event> events_;
  std::size_t leaving_ = 0;
};

}  // namespace hmsim
