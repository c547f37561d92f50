// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/nvdimm_group.h"

#include <string>

#include "nvdimm/design.h"

namespace hmsim {

namespace {

const NvdimmDesign& design(const NvdimmModules& modules) {
  return design_of(modules.front()->parameters().kind);
}

}  // namespace

void NvdimmGroup::register_statistics(StatisticRegistry& registry,
                                      const std::vector<SlowMemory*>& all) {
  NvdimmModules alike;   // same design as the first
  NvdimmModules others;  // the other design
  std::vector<NvdimmModules> by_number(modules_.size());
  for (SlowMemory* const group : all) {
    const NvdimmModules modules = group->modules();
    for (std::size_t number = 0; number < modules.size(); ++number) {
      const NvdimmModules one{modules[number]};
      (&design(one) == &design(modules_) ? alike : others).push_back(modules[number]);
      by_number[number].push_back(modules[number]);
    }
  }
  design(alike).register_statistics(registry, alike);
  if (!others.empty()) {
    const StatisticRegistry::Scope apart(registry, "nvdimm.power.", "nvdimm.unlike.power.");
    design(others).register_statistics(registry, others);
  }
  for (std::size_t number = 0; by_number.size() > 1 && number < by_number.size(); ++number) {
    const StatisticRegistry::Scope own(registry, "nvdimm.",
                                       "nvdimm.device" + std::to_string(number) + ".");
    design(by_number[number]).register_statistics(registry, by_number[number]);
  }
}

void NvdimmGroup::power_fail(const PowerFailure& failure, std::size_t first) {
  for (std::size_t number = 0; number < modules_.size(); ++number) {
    const bool cut = failure.interrupted.value_or(first + number) == first + number;
    modules_[number]->power_fail(failure.now, cut ? failure.save_for : kNever);
  }
}

}  // namespace hmsim
