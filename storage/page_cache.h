// SPDX-License-Identifier: BSD-3-Clause
// Page cache of two levels in front of a device: DRAM, and a larger memory on the memory bus.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/pool.h"
#include "core/slot_list.h"
#include "storage/frames.h"
#include "storage/page_cache_parameters.h"
#include "storage/page_copier.h"
#include "storage/queued_device.h"
#include "storage/read_ahead.h"

namespace hmsim {

struct PageCacheCounts {
  Counter lookups = 0;  // pages looked up for requests
  Counter first_hits = 0;
  Counter second_hits = 0;
  Counter merged = 0;  // found on their way to the first level
  Counter fresh = 0;   // whole pages written that the first level lacks
  Counter device_reads = 0;
  Counter device_writes = 0;
  Counter demotions = 0;     // moves to the second level
  Counter ahead_reads = 0;   // pages read ahead from the device
  Counter ahead_moves = 0;   // pages moved ahead from the second level
  Counter ahead_used = 0;    // of both, those that a request asked for
  Counter ahead_unused = 0;  // of both, those evicted before

  void serialize(Archive& archive) {
    archive(lookups, first_hits, second_hits, merged, fresh, device_reads, device_writes, demotions,
            ahead_reads, ahead_moves, ahead_used, ahead_unused);
  }
};

// Cache of 4 KiB pages. A frame holds one page at a time. A page leaves its frame before the next
// one enters, and a promoted page leaves the second level after it has reached the first. All I/O
// goes through the first level. A read of an absent page fetches it from the second level, or
// otherwise from the device. A write makes the page dirty in the first level; a partial write
// fetches the page first. Accesses to a page that is moving wait for it.
//
// An evicted dirty page is first written to the device. As a clean page, it then moves to the
// second level, which only holds clean pages that the first level lacks. A flush is a barrier and
// writes all dirty pages. Evictions begin when a page needs a frame, or, with a reserve, when fewer
// frames are free than that.
//
// Pages read ahead are fetched like others, and no access waits for them. A trim goes to the
// device, and its dirty whole pages become clean.
class PageCache final : public QueuedDevice<PageCache>,
                        private IoListener,
                        private PageMoveListener {
 public:
  // `parameters` passed check() and are present(). `assignments`: those of the configuration, for
  // policies.
  PageCache(const PageCacheParameters& parameters, std::unique_ptr<StorageDevice> device,
            std::unique_ptr<PageCopier> mover, const Assignments& assignments = {});

  void submit(const IoRequest& request, Tick now) override;
  bool takes_trims() const override { return device_->takes_trims(); }
  void begin(std::uint32_t place, Tick now);  // for QueuedDevice
  bool notifies_others() const override { return mover_->notifies_others(); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  BufferedPages buffered_pages() const override { return device_->buffered_pages(); }

  Tick next_event() const override {
    return earlier(events_.next_time(), earlier(device_->next_event(), mover_->next_event()));
  }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const PageCacheCounts& counts() const { return counts_; }

 private:
  enum class Event : std::uint8_t { served, last = served };

  // Part of a request within one page.
  struct Access {
    std::uint32_t place = kNoIndex;  // of the request
    std::uint32_t next = kNoIndex;   // in a SlotChain of a frame
    std::int64_t page = 0;
    std::uint32_t frame = kNoIndex;  // of the first level, once served
    bool write = false;
    bool whole = false;  // covers the whole page
    bool counted = false;
    DeviceTimes fetched;  // of its page from the device, if it asked for that

    void serialize(Archive& archive) {
      archive(place, next, page, frame, write, whole, counted, fetched);
    }
  };

  // Request to the device, by tag.
  struct Io {
    enum class For : std::uint8_t { none, fill, eviction, flush, end, trim, last = trim };
    For purpose = For::none;
    std::uint32_t frame = kNoIndex;  // of the first level; for `trim`: its place

    void serialize(Archive& archive) { archive(purpose, frame); }
  };

  // Moving page, by tag.
  struct Move {
    enum class For : std::uint8_t { none, promotion, demotion, last = demotion };
    For purpose = For::none;
    std::uint32_t first = kNoIndex;
    std::uint32_t second = kNoIndex;

    void serialize(Archive& archive) { archive(purpose, first, second); }
  };

  void on_io_done(std::uint32_t tag, Tick now) override;
  void on_page_moved(std::uint32_t tag, Tick now) override;

  auto accesses() { return links_of(accesses_.data(), &Access::next); }
  void split(std::uint32_t place, Tick now);
  void read_ahead(PageRange pages, Tick now);
  std::uint32_t add(std::int64_t page);
  void look_up(std::uint32_t access, Tick now);
  void serve(std::uint32_t access, std::uint32_t frame, Tick now);
  void served(std::uint32_t access, Tick now);

  void admit(Tick now);
  void fill(std::uint32_t frame, Tick now);
  void filled(std::uint32_t frame, Tick now);
  void unpin(std::uint32_t frame, Tick now);
  void set_dirty(std::uint32_t frame, bool dirty);

  void evict(std::uint32_t frame, Tick now);
  void demote(std::uint32_t frame, Tick now);
  void gone(std::uint32_t frame, Tick now);
  std::uint32_t second_frame(std::int64_t page);  // kNoIndex: no room
  void move(Move::For purpose, std::uint32_t first, std::uint32_t second, Tick now);

  void flush(std::uint32_t place, Tick now);
  void pass_trim(std::uint32_t place, Tick now);
  void ask(Io::For purpose, IoRequest::Kind kind, std::uint32_t frame, Tick now);

  // Returns whether the frames are in the states that this request or move requires.
  bool is_expected(const Io& io) const;
  bool is_expected(const Move& move) const;

  void check_loaded(const Archive& archive);  // and counts the accesses of requests

  const PageCacheParameters parameters_;
  std::unique_ptr<StorageDevice> device_;
  std::unique_ptr<PageCopier> mover_;
  PageCacheCounts counts_;
  ReadAhead ahead_;
  Counter no_prefetches_ = 0;
  BufferPart first_;
  BufferPart second_;
  Pool<Access> accesses_;
  Pool<Io> ios_;
  Pool<Move> moves_;
  std::vector<SlotLink> dirty_links_;
  SlotList dirty_;             // frames of the first level
  std::size_t leaving_ = 0;    // frames of the first level being freed
  std::uint32_t flushed_ = 0;  // pages that a flush waits for
  std::uint32_t flushing_ = kNoIndex;
  EventQueue<Event> events_;
};

}  // namespace hmsim
