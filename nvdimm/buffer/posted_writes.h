// SPDX-License-Identifier: BSD-3-Clause
// Writes that the host sent on credit. Their lines are in the NVDIMM, durable, and on their way to
// frames of the write part. Each is a command with a separate tag, which follows the host's tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/request.h"
#include "core/slot_list.h"

namespace hmsim {

class PostedWrites {
 public:
  // Uses the tags from `first` on, one per entry.
  PostedWrites(std::size_t first, std::size_t entries, bool store_data);

  bool owns(std::uint32_t tag) const { return tag >= first_; }
  bool uses(std::uint32_t tag) const { return entries_[tag - first_].used; }
  std::int64_t line(std::uint32_t tag) const { return entries_[tag - first_].line; }
  std::uint16_t handle(std::uint32_t tag) const { return entries_[tag - first_].handle; }
  bool empty() const { return used_ == 0; }
  std::size_t size() const { return used_; }
  bool full() const { return free_.empty(); }

  // Adds a write. Must not be full(). `line`: number in the logical space. `data`: data mode only.
  std::uint32_t add(std::int64_t line, const LineData& data, std::uint16_t handle);
  // Removes a write whose line is in a frame. Writes of a line must be removed in order.
  void remove(std::uint32_t tag);

  // Returns the latest write of the line, or kNoIndex.
  std::uint32_t latest(std::int64_t line) const {
    return used_ == 0 ? kNoIndex : latest_.find(line);
  }
  // Returns the commands that wait until the write is in a frame.
  const SlotChain& readers(std::uint32_t tag) const { return entries_[tag - first_].readers; }
  SlotChain& readers(std::uint32_t tag) { return entries_[tag - first_].readers; }

  // Data mode. data(): the bytes of one write. apply(): applies all writes of the line to `bytes`,
  // oldest first. discard(): makes the writes of lines first .. end - 1 have no effect.
  const LineData& data(std::uint32_t tag) const { return data_[tag - first_]; }
  void apply(std::int64_t line, LineBytes& bytes) const;
  void discard(std::int64_t first, std::int64_t end);
  // Data mode: calls see(line) once for each line with a write.
  template <class See>
  void each_line(See see) const {
    for (const Entry& entry : entries_) {
      if (entry.used && entry.older == kNoIndex) {
        see(entry.line);
      }
    }
  }

  void serialize(Archive& archive);

 private:
  struct Entry {
    std::int64_t line = 0;
    std::uint32_t older = kNoIndex;  // previous write of the line
    std::uint32_t newer = kNoIndex;
    SlotChain readers;
    bool used = false;
    std::uint16_t handle = 0;  // placement handle

    void serialize(Archive& archive) { archive(line, readers, handle); }
  };

  void enter(std::uint32_t tag, std::int64_t line);

  std::size_t first_;
  std::vector<Entry> entries_;
  std::vector<LineData> data_;
  std::vector<std::uint32_t> free_;  // tags
  KeyMap latest_;                    // line -> tag
  std::size_t used_ = 0;             // entries
};

}  // namespace hmsim
