// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "controller/accounts/latency_split.h"
#include "controller/channel/statistics_table.h"

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

void register_latency_statistics(StatisticRegistry& registry,
                                 const std::vector<MemoryChannel*>& all) {
  std::vector<MemoryChannel*> channels;
  std::copy_if(all.begin(), all.end(), std::back_inserter(channels),
               [](MemoryChannel* channel) { return channel->meters().latency != nullptr; });
  struct Name {
    LatencyPart part;
    const char* name;
    const char* description;
    std::array<bool, kMemoryClasses> present;  // DRAM, NVDIMM
  };
  constexpr std::array<Name, kLatencyParts> kNames{
      {{LatencyPart::admission,
        "admission",
        "waiting for a slot of the transaction queue",
        {true, true}},
       {LatencyPart::queueing,
        "queueing",
        "waiting for others in its bank, or for the command bus",
        {true, true}},
       {LatencyPart::bank,
        "bank",
        "precharge and activate of its row, and waiting to issue them",
        {true, false}},
       {LatencyPart::bus,
        "bus",
        "row open or NVDIMM ready, waiting for the data bus",
        {true, true}},
       {LatencyPart::transfer, "transfer", "data-bus command to last data beat", {true, true}},
       {LatencyPart::refresh,
        "refresh",
        "its rank was being prepared for a refresh, or refreshed",
        {true, false}},
       {LatencyPart::ack_wait,
        "ack_wait",
        "command to ack, without gc_blocked: buffer lookup and flash",
        {false, true}},
       {LatencyPart::gc_blocked,
        "gc_blocked",
        "garbage collection locked a LUN or held its channel: the LUN of its page read, or the "
        "LUN that the write-back for its frame waited in or for (media: its bank moved a line)",
        {false, true}}}};
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    for (const bool write : {false, true}) {
      const std::string prefix =
          std::string(memory == MemoryClass::dram ? "dram.latency." : "nvdimm.latency.") +
          (write ? "write." : "read.");
      for (const Name& name : kNames) {
        if (!name.present[static_cast<std::size_t>(memory)]) {
          continue;
        }
        std::vector<Histogram*> histograms;
        for (MemoryChannel* channel : channels) {
          histograms.push_back(&channel->meters().latency->histogram(memory, write, name.part));
        }
        registry.histogram(prefix + name.name + "_ns", "ns", name.description,
                           kPicosecondsPerNanosecond, std::move(histograms));
      }
    }
  }
  registry.on_read([channels] {
    for (MemoryChannel* channel : channels) {
      channel->meters().latency->fold();
    }
  });
}

}  // namespace hmsim
