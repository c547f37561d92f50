// SPDX-License-Identifier: BSD-3-Clause
// Caches of a core that runs a full memory trace.
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
  std::int64_t latency = 1;  // core cycles
  std::int64_t mshrs = 1;    // outstanding lines
};

enum class Sharing { private_slice, shared };

enum class PrefetcherKind { none, stride };

struct PrefetcherParameters {
  PrefetcherKind kind = PrefetcherKind::none;
  std::int64_t degree = 3;    // prefetched lines per access that follows a stride
  std::int64_t distance = 1;  // strides from that access to the first prefetched line
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
  // Checks parameters of a core that uses the shared L3: they must not describe a different L3.
  std::vector<ParameterError> check_shared(const CacheLevelParameters& shared) const;
};

}  // namespace hmsim
