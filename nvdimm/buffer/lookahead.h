// SPDX-License-Identifier: BSD-3-Clause
// The pages (item granularity: items) that queued commands ask for. A command is queued from its
// arrival from the host to its lookup. The addresses provide the buffer manager's candidates: pages
// to fetch, by LUN and oldest first; pages that will need a frame of the write part; frames to
// guard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_array.h"
#include "policies/buffer_manager.h"

namespace hmsim {

class Lookahead {
 public:
  // Returns nullptr if the manager does not watch the queue. `assignments`: the configuration's.
  static std::unique_ptr<Lookahead> make(const std::string& manager, UnmappedRead unmapped_read,
                                         const Assignments& assignments, SyncBuffer& buffer,
                                         const Ftl& ftl, const FlashArray& flash);

  Lookahead(std::unique_ptr<BufferManager> manager, UnmappedRead unmapped_read, SyncBuffer& buffer,
            const Ftl& ftl, const FlashArray& flash);

  // Adds a command's request. The result identifies the request until looked_up().
  std::uint32_t sent(Address address, bool write, std::uint8_t lines = 1);
  // Removes a request after its lookup; its line is in the buffer or has a record there.
  void looked_up(std::uint32_t asked, bool write);

  // Returns whether a queued request asked for this key, so that its frame must be evicted last.
  bool guards(std::int64_t key) const { return asked_for_.find(key) != kNoIndex; }

  // Called when the LUN is idle.
  void idle(std::uint32_t lun);
  // Chooses a key whose page is to be fetched now from its idle LUN; the read part has a free or a
  // replaceable frame for it. Returns false without such a key.
  bool next_prefetch(std::int64_t& key);
  void prefetch_ended() { --prefetching_; }

  // Returns whether to evict a page early. `leaving`: frames that become free without that.
  bool wants_free_frame(std::uint64_t leaving) const {
    const std::uint64_t coming = buffer_.write.free() + leaving;
    const std::uint64_t taken = std::min<std::uint64_t>(coming, buffer_.write.waiting());
    const WritePartView view{buffer_.write.capacity(), coming - taken, new_pages_};
    return view.free < manager_->frames_to_keep_free(view);
  }

  void serialize(Archive& archive);

 private:
  struct Asked {
    std::int64_t key = 0;
    std::uint32_t reads = 0;  // commands
    std::uint32_t writes = 0;
    std::uint32_t lun = kNoIndex;  // whose list of candidates it is in
    SlotLink link;                 // in that list
    bool new_page = false;         // needs a frame of the write part

    void serialize(Archive& archive) { archive(key, reads, writes, new_page); }
  };

  std::uint32_t enter(std::int64_t key);
  void leave(std::uint32_t index);
  void guard(BufferPart& part, std::int64_t key, bool guarded) const;
  bool to_be_read(Address address, std::uint8_t lines) const;
  void enlist(std::uint32_t index, std::uint32_t lun);
  void delist(std::uint32_t index);
  std::uint32_t candidate(std::uint32_t lun);

  const std::unique_ptr<BufferManager> manager_;
  SyncBuffer& buffer_;
  const Ftl& ftl_;
  const FlashArray& flash_;
  const bool reads_unmapped_;  // never-written pages are read from flash
  Pool<Asked> asked_;
  std::vector<SlotList> candidates_;  // by LUN
  Ring<std::uint32_t> idle_luns_;     // idle LUNs that may have a candidate ...
  std::vector<bool> is_hungry_;       // ... each once
  std::uint32_t prefetching_ = 0;
  std::uint64_t new_pages_ = 0;
  KeyMap asked_for_;
};

}  // namespace hmsim
