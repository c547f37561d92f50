// SPDX-License-Identifier: BSD-3-Clause
// Patterns of requests that the benchmarks of the controller and of the C library send.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

enum class Pattern {
  stream,
  random,
  mixed,
  burst,
  sparse,
  nvdimm_read,
  nvdimm_write,
  nvdimm_hit,
  hbf_read,
  classes
};

inline constexpr std::array<std::pair<const char*, Pattern>, 10> kPatterns{
    {{"stream", Pattern::stream},
     {"random", Pattern::random},
     {"mixed", Pattern::mixed},
     {"burst", Pattern::burst},
     {"sparse", Pattern::sparse},
     {"nvdimm_read", Pattern::nvdimm_read},
     {"nvdimm_write", Pattern::nvdimm_write},
     {"nvdimm_hit", Pattern::nvdimm_hit},
     {"hbf_read", Pattern::hbf_read},
     {"classes", Pattern::classes}}};

inline Pattern pattern_of(const char* name) {
  for (const auto& [known, pattern] : kPatterns) {
    if (std::strcmp(known, name) == 0) {
      return pattern;
    }
  }
  throw InputError(std::string("unknown pattern: ") + name);
}

inline constexpr std::int64_t kBurstLines = 8;
inline constexpr std::int64_t kResidentLines = 16 * kLinesPerPage;
inline constexpr std::int64_t kCores = 4;  // send in turn
inline constexpr std::int64_t kFootprintLines = (std::int64_t{1} << 30) / 64;
// At least this many requests are generated in advance, as if a trace were in memory. Generation
// then costs the same for both run lengths whose instruction counts are subtracted.
inline constexpr std::int64_t kMadeAhead = std::int64_t{1} << 17;

// Generates the requests of a pattern.
class Maker {
 public:
  explicit Maker(Pattern pattern) : pattern_(pattern) {}

  std::vector<Request> make(std::int64_t requests) {
    std::vector<Request> made(static_cast<std::size_t>(requests));
    for (Request& request : made) {
      request.memory = memory();
      request.address = Address(line(request.memory) * kLineBytes.value());
      request.write = writes();
      if (pattern_ == Pattern::hbf_read) {
        request.address -= request.address % Address(kPageBytes.value());
        request.lines = kLinesPerPage;
      }
      request.source = static_cast<std::uint16_t>(made_++ % kCores);
    }
    return made;
  }

 private:
  MemoryClass memory() {
    switch (pattern_) {
      case Pattern::classes:
        return random_.below(2) == 0 ? MemoryClass::dram : MemoryClass::nvdimm;
      case Pattern::nvdimm_read:
      case Pattern::nvdimm_write:
      case Pattern::nvdimm_hit:
      case Pattern::hbf_read:
        return MemoryClass::nvdimm;
      default:
        return MemoryClass::dram;
    }
  }
  std::int64_t line(MemoryClass memory) {
    switch (pattern_) {
      case Pattern::stream:
        return made_ % kFootprintLines;
      case Pattern::nvdimm_hit:
        return made_ % kLinesPerPage;
      case Pattern::classes:
        return memory == MemoryClass::dram ? next_of_burst() : made_ % kResidentLines;
      case Pattern::burst:
        return next_of_burst();
      default:
        return random_line();
    }
  }
  std::int64_t next_of_burst() {
    burst_ = of_bursts_++ % kBurstLines != 0 ? burst_ + 1 : random_line() & ~(kBurstLines - 1);
    return burst_;
  }
  std::int64_t random_line() { return static_cast<std::int64_t>(random_.below(kFootprintLines)); }
  bool writes() {
    return pattern_ == Pattern::nvdimm_write ||
           ((pattern_ == Pattern::mixed || pattern_ == Pattern::classes) && random_.below(3) == 0);
  }

  const Pattern pattern_;
  Random random_{1};
  std::int64_t burst_ = 0;
  std::int64_t of_bursts_ = 0;  // lines so far
  std::int64_t made_ = 0;
};

}  // namespace hmsim
