// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/progress_watch.h"

#include "core/units.h"

namespace hmsim {

namespace {

std::string describe(MemoryClass memory, Tick since, Counter of_other) {
  const bool dram = memory == MemoryClass::dram;
  return std::string(dram ? "DRAM" : "NVDIMM") + " requests have been ready since " +
         format_time(since / kMicrosecond * kMicrosecond) + " and none was served, but " +
         std::to_string(of_other) + (dram ? " NVDIMM" : " DRAM") +
         " requests were: the bus arbiter starves a class; policies.harmonic.guard: true bounds "
         "waits under harmonic scheduling, controller.starvation_limit under any";
}

}  // namespace

void ProgressWatch::look(const std::vector<ClassServices>& channels, Tick now) {
  channels_.resize(channels.size());
  for (std::size_t channel = 0; channel < channels.size(); ++channel) {
    for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
      const auto index = static_cast<std::size_t>(memory);
      const ClassService& own = channels[channel][index];
      const Counter of_other = channels[channel][1 - index].served;
      SourceMeasurements& last = channels_[channel][index];
      // A counter that decreased was reset.
      const bool stands =
          own.ready && last.ready && own.served == last.served && of_other >= last.of_other;
      if (!stands) {
        last = {own.served, of_other, now, own.ready};
      } else if (of_other - last.of_other >= kMany && !reported_[index]) {
        reported_[index] = true;
        found_.push_back(describe(memory, last.since, of_other - last.of_other));
      }
    }
  }
}

}  // namespace hmsim
