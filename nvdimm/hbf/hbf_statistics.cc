// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/hbf/hbf_statistics.h"

#include <array>
#include <string>
#include <utility>

#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

void register_hbf_statistics(StatisticRegistry& registry, const std::vector<HbfDevice*>& devices) {
  std::vector<FlashArray*> arrays;
  for (HbfDevice* device : devices) {
    arrays.push_back(&device->flash());
  }
  const auto counter = [&](const std::string& name, const char* unit, const char* description,
                           auto read) {
    std::vector<Counter*> counters;
    for (HbfDevice* device : devices) {
      counters.push_back(&read(device->statistics()));
    }
    registry.counter("hbf." + name, unit, description, std::move(counters));
  };
  counter("hits", "reads", "reads of a page in its bank's page cache",
          [](HbfStatistics& s) -> Counter& { return s.hits; });
  counter("merged", "reads", "reads that waited for a page that was being sensed",
          [](HbfStatistics& s) -> Counter& { return s.merged; });
  counter("misses", "reads", "reads that sensed their page",
          [](HbfStatistics& s) -> Counter& { return s.misses; });
  counter("pending_reads", "reads", "reads of a page whose write was not done",
          [](HbfStatistics& s) -> Counter& { return s.pending_reads; });
  counter("pages", "pages", "pages accepted for programming",
          [](HbfStatistics& s) -> Counter& { return s.pages; });
  constexpr std::array<const char*, kHbfStatuses> kAnswers{
      "requests answered without a status",
      "reads of a block that must be refreshed",
      "reads of a page that is not programmed",
      "reads of a part of a page that had not arrived",
      "writes of a part that had arrived already",
      "writes whose page was not complete in time",
      "writes that were not for the next page of their block",
      "writes whose program failed"};
  for (std::size_t i = 0; i < kHbfStatuses; ++i) {
    counter(std::string("status.") + kHbfStatusNames[i], "requests", kAnswers[i],
            [i](HbfStatistics& s) -> Counter& { return s.answers[i]; });
  }
  register_nand_statistics(registry, arrays);
}

}  // namespace hmsim
