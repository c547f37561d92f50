// SPDX-License-Identifier: BSD-3-Clause
// The pages (item granularity: the items) that queued commands ask for: those that the host has
// sent, and that have not been looked up. From their addresses the buffer manager's candidates are
// found: pages to fetch, by LUN, oldest first; pages that will need a frame of the write part;
// frames to guard.
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
  // nullptr: the manager does not watch the queue. `assignments`: the configuration's.
  static std::unique_ptr<Lookahead> make(const std::string& manager, UnmappedRead unmapped_read,
                                         const Assignments& assignments, SyncBuffer& buffer,
                                         const Ftl& ftl, const FlashArray& flash);

  Lookahead(std::unique_ptr<BufferManager> manager, UnmappedRead unmapped_read, SyncBuffer& buffer,
            const Ftl& ftl, const FlashArray& flash);

  // A command was sent; what it asks for. The result names that until looked_up().
  std::uint32_t sent(Address address, bool write);
  // The command's lookup is over; its line is there, or has a record in the buffer.
  void looked_up(std::uint32_t asked, bool write);

  // The frame of this key is to be guarded when it is listed.
  bool guards(std::int64_t key) const { return asked_for_.find(key) != kNoIndex; }

  // The LUN has nothing to do.
  void idle(std::uint32_t lun);
  // A key whose page is to be fetched now, on its idle LUN; false: there is none. The read part has
  // a free or a replaceable frame for it.
  bool next_prefetch(std::int64_t& key);
  void prefetch_ended() { --prefetching_; }

  // Whether a page is to be written back early. `leaving`: frames that will be free without it.
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
    std::uint32_t lun = kNoIndex;  // in whose list of candidates it is
    SlotLink link;                 // in that list
    bool new_page = false;         // needs a frame of the write part

    void serialize(Archive& archive) { archive(key, reads, writes, new_page); }
  };

  std::uint32_t enter(std::int64_t key);
  void leave(std::uint32_t index);
  void guard(BufferPart& part, std::int64_t key, bool guarded) const;
  bool to_be_read(Address address) const;
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
  Ring<std::uint32_t> hungry_;        // LUNs that may have a candidate and nothing to do ...
  std::vector<bool> is_hungry_;       // ... each once
  std::uint32_t prefetching_ = 0;
  std::uint64_t new_pages_ = 0;
  KeyMap asked_for_;
};

}  // namespace hmsim
