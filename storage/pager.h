// SPDX-License-Identifier: BSD-3-Clause
// Paging: page frames, and behind them a device to which the system swaps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/pool.h"
#include "core/slot_list.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "storage/request.h"
#include "storage/server.h"

namespace hmsim {

struct PagingParameters {
  Bytes memory{64LL << 20};
  std::string replacement = "lru";
  Tick trap = 2 * kMicrosecond;
  Tick swap = 5 * kMicrosecond;

  void declare(ParameterSet& set);  // under "paging."
  std::vector<ParameterError> check() const;
};

class PagingListener {
 public:
  // The page that was touched under this tag is there, and the touch is over. From within
  // Pager::advance() only; may touch at once.
  virtual void on_page(std::uint32_t tag, Tick now) = 0;

 protected:
  ~PagingListener() = default;
};

struct PagingCounts {
  Counter touches = 0;
  Counter faults = 0;      // touches of pages that are not there
  Counter zero_fills = 0;  // pages that come for the first time, without I/O
  Counter reads = 0;
  Counter writes = 0;  // dirty pages that had to go
  Histogram latency;   // of faults, picoseconds

  void serialize(Archive& archive) { archive(touches, faults, zero_fills, reads, writes, latency); }
};

// A fault takes the trap; then its page gets a frame, which another page leaves, after it has been
// written if it is dirty; then it is read, if it has ever been written. Each I/O passes the swap
// path, which takes one at a time. Page p is the p-th of the device.
class Pager final : public Component, private IoListener {
 public:
  // `parameters` have passed check().
  Pager(const PagingParameters& parameters, std::unique_ptr<StorageDevice> device,
        const Assignments& assignments = {});

  void listen(PagingListener& listener) { listener_ = &listener; }
  // True: the page is there, and that was all; otherwise on_page() tells of its end.
  bool touch(std::int64_t page, bool write, std::uint32_t tag, Tick now);
  std::int64_t pages() const { return device_->capacity() / kPageBytes; }
  const PagingCounts& counts() const { return counts_; }
  void account(Tick now);
  void register_statistics(StatisticRegistry& registry, const std::string& path);

  Tick next_event() const override { return earlier(events_.next_time(), device_->next_event()); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  enum class Event : std::uint8_t { trapped, issued, last = issued };

  struct Touch {
    std::int64_t page = 0;
    std::uint32_t tag = 0;
    std::uint32_t next = kNoIndex;  // in a SlotChain of a frame
    bool write = false;
    Tick begin{0};

    void serialize(Archive& archive) { archive(page, tag, next, write, begin); }
  };
  struct Io {
    std::uint32_t frame = kNoIndex;  // kNoIndex: free
    bool write = false;
    bool issued = false;

    void serialize(Archive& archive) { archive(frame, write, issued); }
  };

  void on_io_done(std::uint32_t tag, Tick now) override;

  auto links() { return links_of(touches_.data(), &Touch::next); }
  static bool resident(const Frame& frame) {
    return frame.state == FrameState::clean || frame.state == FrameState::dirty;
  }
  void look_up(std::uint32_t touch, Tick now);
  void end(std::uint32_t touch, std::uint32_t frame, Tick now);
  void admit(Tick now);
  void fill(std::uint32_t frame, Tick now);
  void filled(std::uint32_t frame, Tick now);
  void evict(std::uint32_t frame, Tick now);
  void gone(std::uint32_t frame, Tick now);
  void ask(std::uint32_t frame, bool write, Tick now);
  void check_loaded(const Archive& archive) const;

  const PagingParameters parameters_;
  std::unique_ptr<StorageDevice> device_;
  PagingListener* listener_ = nullptr;
  Counter no_prefetches_ = 0;
  BufferPart frames_;
  std::vector<bool> saved_;  // by page: the device has it
  Pool<Touch> touches_;      // faults
  Pool<Io> ios_;
  Server<std::uint32_t> swap_;
  EventQueue<Event> events_;
  std::size_t leaving_ = 0;
  PagingCounts counts_;
};

}  // namespace hmsim
