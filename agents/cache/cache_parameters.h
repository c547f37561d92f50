// SPDX-License-Identifier: BSD-3-Clause
// The caches of a core that runs a full memory trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

inline constexpr std::size_t kCacheLevels = 3;

struct CacheLevelParameters {
  Bytes size{0};
  std::int64_t ways = 1;
  std::int64_t latency = 1;  // cycles of the core
  std::int64_t mshrs = 1;    // lines that it may be waiting for
};

enum class Sharing { private_slice, shared };

enum class PrefetcherKind { none, stride };

struct PrefetcherParameters {
  PrefetcherKind kind = PrefetcherKind::none;
  std::int64_t degree = 3;       // lines for each access that follows a stride
  std::int64_t distance = 1;     // strides from that access to the first of them
  std::int64_t entries = 1'024;  // instructions whose strides it knows
};

struct CacheParameters {
  std::array<CacheLevelParameters, kCacheLevels> levels{{
      {Bytes(32 << 10), 4, 5, 16},
      {Bytes(512 << 10), 8, 10, 32},
      {Bytes(2 << 20), 16, 20, 64},
  }};
  Sharing l3_sharing = Sharing::private_slice;
  PrefetcherParameters prefetcher;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
  // If it is to use the L3 that cores share: whether it describes no other one.
  std::vector<ParameterError> check_shared(const CacheLevelParameters& shared) const;
};

}  // namespace hmsim
