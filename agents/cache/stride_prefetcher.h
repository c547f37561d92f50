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

namespace hmsim {

class Archive;

class StridePrefetcher {
 public:
  static constexpr std::size_t kEntries = 1'024;  // as ChampSim's ip_stride

  explicit StridePrefetcher(const PrefetcherParameters& parameters);

  // Records an access to `line` by the instruction at `ip`. Appends the lines to prefetch.
  void access(std::uint64_t ip, std::uint64_t line, std::vector<std::uint64_t>& lines);

  void serialize(Archive& archive);

 private:
  struct Entry {
    std::uint64_t ip = 0;
    std::uint64_t line = 0;
    std::int64_t stride = 0;  // in lines; 0: unknown
    bool valid = false;
    void serialize(Archive& archive);
  };

  PrefetcherParameters parameters_;
  std::vector<Entry> entries_;  // by a hash of the instruction; a new one replaces the old
};

}  // namespace hmsim
