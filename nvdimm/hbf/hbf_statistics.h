// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one channel of high bandwidth flash, without those of its flash array.
#pragma once

#include <array>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"
#include "nvdimm/hbf/hbf_status.h"

namespace hmsim {

class HbfDevice;

struct HbfStatistics {
  Counter hits = 0;
  Counter merged = 0;
  Counter misses = 0;
  Counter pending_reads = 0;
  Counter pages = 0;
  std::array<Counter, kHbfStatuses> answers{};

  void serialize(Archive& archive) { archive(hits, merged, misses, pending_reads, pages, answers); }
};

// Registers the statistics of the channels, combined.
void register_hbf_statistics(StatisticRegistry& registry, const std::vector<HbfDevice*>& devices);

}  // namespace hmsim
