// SPDX-License-Identifier: BSD-3-Clause
// Stride prefetcher by instruction (Fu, Patel and Janssens, MICRO 1992; Baer and Chen, 1991).
//
// A table holds, for each instruction, the last accessed line and its stride from the line before.
// An access that repeats the stride prefetches `degree` lines, the first one `distance` strides
// ahead, limited to the 4 KB page of the access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/cache/cache_parameters.h"
#include "core/archive.h"
#include "core/random.h"
#include "core/types.h"

namespace hmsim {

class StridePrefetcher {
 public:
  static constexpr std::size_t kEntries = 1'024;  // as ChampSim's ip_stride

  explicit StridePrefetcher(const PrefetcherParameters& parameters)
      : parameters_(parameters), entries_(parameters.kind == PrefetcherKind::none ? 0 : kEntries) {}

  // Records an access to `line` by the instruction at `ip`. Appends the lines to prefetch.
  void access(std::uint64_t ip, std::uint64_t line, std::vector<std::uint64_t>& lines) {
    if (entries_.empty()) {
      return;
    }
    Entry& entry = entries_[mix64(ip) % entries_.size()];
    if (!entry.valid || entry.ip != ip) {
      entry = {ip, line, 0, true};
      return;
    }
    const auto stride = static_cast<std::int64_t>(line - entry.line);
    if (stride == 0) {
      return;
    }
    const bool follows = stride == entry.stride;
    entry.line = line;
    entry.stride = stride;
    if (!follows) {
      return;
    }
    for (std::int64_t i = 0; i < parameters_.degree; ++i) {
      const auto step =
          static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(parameters_.distance + i);
      const std::uint64_t ahead = line + step;
      if (ahead / kLinesPerPage != line / kLinesPerPage) {
        return;
      }
      lines.push_back(ahead);
    }
  }

  void serialize(Archive& archive) { archive.fixed(entries_); }

 private:
  struct Entry {
    std::uint64_t ip = 0;
    std::uint64_t line = 0;
    std::int64_t stride = 0;  // in lines; 0: unknown
    bool valid = false;
    void serialize(Archive& archive) { archive(ip, line, stride, valid); }
  };

  PrefetcherParameters parameters_;
  std::vector<Entry> entries_;  // by a hash of the instruction; a new one replaces the old
};

}  // namespace hmsim
