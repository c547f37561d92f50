// SPDX-License-Identifier: BSD-3-Clause
// Detection of sequential reads, and the pages to read ahead of them.
#pragma once

#include <array>
#include <cstdint>

#include "core/archive.h"

namespace hmsim {

struct PageRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;  // after the last one

  bool empty() const { return begin >= end; }
};

// Read-ahead as in Linux 2.6, for up to 16 streams; a new stream replaces the one that read least
// recently. A read is sequential if it begins at the page where an earlier one ended, or at the
// next one. The first sequential read opens a window of 4, 2 or 1 times its own size, and each
// later window is 4 or 2 times as large as the one before, up to `most` pages. A window is read as
// soon as the stream enters the window before it.
class ReadAhead {
 public:
  explicit ReadAhead(std::int64_t most) : most_(most) {}  // 0: none

  // Returns the pages to read ahead of a read of the pages from `first` to `last`.
  PageRange on_read(std::int64_t first, std::int64_t last);
  void serialize(Archive& archive);

 private:
  struct Stream {
    std::int64_t next = -1;    // page after its latest read; -1: no stream
    std::int64_t trigger = 0;  // the read that passes it opens the next window
    std::int64_t end = 0;      // after the last page read ahead
    std::int64_t window = 0;   // pages; 0: none yet
    std::uint64_t latest = 0;  // number of its latest read

    void serialize(Archive& archive) { archive(next, trigger, end, window, latest); }
  };

  Stream& stream_of(std::int64_t first);
  std::int64_t first_window(std::int64_t pages) const;
  std::int64_t next_window(std::int64_t pages) const;

  std::int64_t most_;
  std::array<Stream, 16> streams_;
  std::uint64_t reads_ = 0;
};

}  // namespace hmsim
