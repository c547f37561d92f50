// SPDX-License-Identifier: BSD-3-Clause
// Write-back cache of a RAID controller, in front of its disks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/pool.h"
#include "core/slot_list.h"
#include "storage/frames.h"
#include "storage/queued_device.h"

namespace hmsim {

struct WriteCacheParameters {
  Bytes size{0};  // 0: no cache
  Tick hit = 50 * kMicrosecond;
  std::int64_t depth = 16;  // pages

  void declare(ParameterSet& set);  // under "storage.write_cache."
  std::vector<ParameterError> check() const;

  bool present() const { return size > Bytes(0); }
  std::int64_t frames() const { return size / kPageBytes; }
};

struct WriteCacheCounts {
  Counter pages = 0;      // pages of writes that the cache took
  Counter rewritten = 0;  // of these, pages that were in the cache
  Counter hits = 0;       // reads that the cache answered
  Counter passed = 0;     // reads that went to the device
  Counter destaged = 0;   // writes to the device

  void serialize(Archive& archive) { archive(pages, rewritten, hits, passed, destaged); }
};

// Write-back cache of dirty pages. A write ends one hit time after all its pages have frames. The
// cache writes each page to the device in one request, from the first to the last changed sector:
// least recently written pages first, at most `depth` at once. A page leaves the cache when the
// device has all its sectors. A read that finds all its sectors in the cache ends after a hit time;
// any other read goes to the device. The cache survives a loss of power, so a flush takes a hit
// time and writes nothing. A trim goes to the device, and the cache drops the lines of its whole
// pages that are not on their way there.
class WriteCache final : public QueuedDevice<WriteCache>, private IoListener {
 public:
  // `parameters` passed check() and are present().
  WriteCache(const WriteCacheParameters& parameters, std::unique_ptr<StorageDevice> device);

  bool takes_trims() const override { return device_->takes_trims(); }
  void begin(std::uint32_t place, Tick now);  // for QueuedDevice
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  BufferedPages buffered_pages() const override { return device_->buffered_pages(); }

  Tick next_event() const override { return earlier(events_.next_time(), device_->next_event()); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const WriteCacheCounts& counts() const { return counts_; }

 private:
  enum class Event : std::uint8_t { served, last = served };

  // Part of a write within one page.
  struct Part {
    std::uint32_t place = kNoIndex;  // of the request
    std::uint32_t next = kNoIndex;   // in a SlotChain of a frame
    std::uint64_t lines = 0;

    void serialize(Archive& archive) { archive(place, next, lines); }
  };
  // Request to the device, by tag: a frame's, or a read or trim that passes.
  struct Io {
    enum class For : std::uint8_t { none, destage, pass, last = pass };
    For purpose = For::none;
    std::uint32_t index = kNoIndex;  // of the frame; of the passing request's place

    void serialize(Archive& archive) { archive(purpose, index); }
  };

  void on_io_done(std::uint32_t tag, Tick now) override;

  auto parts() { return links_of(parts_.data(), &Part::next); }
  void read(std::uint32_t place, Tick now);
  void write(std::uint32_t place, Tick now);
  void pass_trim(std::uint32_t place, Tick now);
  void take(std::uint32_t part, std::uint32_t frame, Tick now);
  void admit(Tick now);
  void destage(Tick now);
  void destaged(std::uint32_t frame, Tick now);
  void ask(Io::For purpose, std::uint32_t index, IoRequest request, Tick now);
  void check_indices(const Archive& archive);

  const WriteCacheParameters parameters_;
  std::unique_ptr<StorageDevice> device_;
  Counter no_prefetches_ = 0;
  BufferPart frames_;  // `valid`: lines that the device lacks; `expected`: those on their way to it
  Pool<Part> parts_;
  Pool<Io> ios_;
  std::int64_t destaging_ = 0;  // pages on their way to the device; not saved
  EventQueue<Event> events_;
  WriteCacheCounts counts_;
};

}  // namespace hmsim
