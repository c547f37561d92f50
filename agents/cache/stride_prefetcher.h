// SPDX-License-Identifier: BSD-3-Clause
// Stride prefetching by instruction (Fu, Patel and Janssens, MICRO 1992; Baer and Chen, 1991).
//
// A table remembers for each instruction the line that it accessed last and the stride to it from
// the one before. An access that follows the remembered stride again asks for `degree` lines, the
// first `distance` strides ahead, as far as they lie in its own 4 KB page.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/cache/cache_parameters.h"

namespace hmsim {

class Archive;

class StridePrefetcher {
 public:
  explicit StridePrefetcher(const PrefetcherParameters& parameters);

  // Instruction `ip` accesses a line: appends the lines to fetch.
  void access(std::uint64_t ip, std::uint64_t line, std::vector<std::uint64_t>& lines);

  void serialize(Archive& archive);

 private:
  struct Entry {
    std::uint64_t ip = 0;
    std::uint64_t line = 0;
    std::int64_t stride = 0;  // in lines; 0: none is known
    bool valid = false;
    void serialize(Archive& archive);
  };

  PrefetcherParameters parameters_;
  std::vector<Entry> entries_;  // by a hash of the instruction: the later one takes the place
};

}  // namespace hmsim
