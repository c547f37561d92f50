// SPDX-License-Identifier: BSD-3-Clause
// Measurements of a source in one quantum, combined over all channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policies/monitors/locality.h"
#include "policies/monitors/mpki.h"

namespace hmsim {

struct SourceMeasurements {
  std::int64_t name = 0;  // Sources::name
  Mpki::Rate rate;
  Locality::Count locality;
  std::int64_t service = 0;      // clock cycles
  std::int64_t parallelism = 0;  // thousandths of a bank

  std::int64_t mpki() const { return rate.per_million(); }
  std::int64_t blp() const { return parallelism; }
  std::int64_t rbl() const { return locality.share(); }
};

using Standings = std::vector<SourceMeasurements>;

// Returns the sources in ascending order of `figure`; ties by name.
template <class Figure>
Standings sorted(Standings sources, Figure figure) {
  std::sort(sources.begin(), sources.end(),
            [&](const SourceMeasurements& a, const SourceMeasurements& b) {
              return figure(a) != figure(b) ? figure(a) < figure(b) : a.name < b.name;
            });
  return sources;
}

}  // namespace hmsim
