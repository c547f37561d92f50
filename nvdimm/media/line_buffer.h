// SPDX-License-Identifier: BSD-3-Clause
// Read buffer and combining buffer of a module whose media lines have several lines of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/request.h"
#include "core/slot_list.h"
#include "nvdimm/media/media_parameters.h"

namespace hmsim {

// Media lines, each in one of the two buffers. `sector`: a line of the host within its media line.
//
// The read buffer keeps the lines that banks read last, and replaces the least recently used one.
// The combining buffer keeps lines with written sectors until they are in the cells. A line that is
// `leaving` waits for its bank and still takes writes; once its bank writes it, it takes none.
class LineBuffer {
 public:
  LineBuffer(const MediaParameters& media, bool store_data);

  std::int64_t line(std::uint32_t slot) const { return slots_[slot].line; }
  std::size_t slots() const { return slots_.size(); }
  // Returns whether the sector is in a buffer. If so, its line becomes the last one to be replaced
  // in the read buffer.
  bool read(std::int64_t line, std::int64_t sector);
  // Takes a line that a bank has read.
  void fetched(std::int64_t line);

  // Takes a write. Returns the line's slot in the combining buffer, or kNoIndex if the buffer is
  // full or a bank writes the line.
  std::uint32_t write(std::int64_t line, std::int64_t sector);
  bool combines(std::int64_t line) const;  // whether the line is in the combining buffer
  // Return whether the host has written all sectors, and whether all are known.
  bool full(std::uint32_t slot) const { return slots_[slot].dirty == all_; }
  bool whole(std::uint32_t slot) const { return slots_[slot].whole || full(slot); }
  // Returns the line that has waited longest for another write, or kNoIndex.
  std::uint32_t oldest() const { return staying_.first; }
  // Sends a line to its bank, unless it was sent. Returns whether it was not.
  bool leave(std::uint32_t slot);
  std::size_t leaving() const { return leaving_; }
  // The line's bank begins, and has ended, the write.
  void begin_write(std::uint32_t slot);
  void end_write(std::uint32_t slot);

  // Data mode: the bytes of written sectors. written() returns null for other sectors.
  LineBytes& bytes(std::uint32_t slot, std::int64_t sector) {
    return data_[slot * sectors_ + static_cast<std::size_t>(sector)];
  }
  const LineBytes* written(std::int64_t line, std::int64_t sector) const;
  void zero(std::int64_t line, std::int64_t sector);
  // Calls see(line, whole) for each line of the combining buffer.
  template <class See>
  void each_written(See see) const {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].dirty != 0) {
        see(slots_[slot].line, whole(slot));
      }
    }
  }
  void clear();

  void serialize(Archive& archive);

 private:
  struct Slot {
    std::int64_t line = kNoLine;
    std::uint64_t dirty = 0;  // bits of sectors that are newer than the cells; 0: read buffer
    bool whole = false;       // the other sectors are known
    bool leaving = false;
    bool writing = false;
    SlotLink link;  // in read_ or staying_

    void serialize(Archive& archive) { archive(line, dirty, whole, leaving, writing); }
  };

  static constexpr std::int64_t kNoLine = -1;

  auto links() { return links_of(slots_.data(), &Slot::link); }
  std::uint32_t take(std::int64_t line);
  void release(std::uint32_t slot);

  const std::size_t sectors_;
  const std::size_t lines_;  // of each buffer
  const std::uint64_t all_;  // bits of all sectors
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  KeyMap slot_of_;         // by line
  SlotList read_;          // lines of the read buffer, least recently used first
  SlotList staying_;       // lines of the combining buffer that are not leaving, oldest write first
  std::size_t reads_ = 0;  // lines in the read buffer
  std::size_t writes_ = 0;       // lines in the combining buffer
  std::size_t leaving_ = 0;      // of writes_
  std::vector<LineBytes> data_;  // by slot and sector; data mode only
};

}  // namespace hmsim
