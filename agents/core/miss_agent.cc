// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/miss_agent.h"

#include "agents/application_observer.h"
#include "core/archive.h"

namespace hmsim {

void MissAgent::declare(ParameterSet& parameters) {
  CoreAgent::declare(parameters);
  settings_.declare(parameters);
}

void MissAgent::prepare() {
  open_pass(engine_.pass(), engine_, 0);
  if (ApplicationObserver* const application = environment().application) {
    application->on_core(index(), parameters().slots_per_millisecond(), 0);
  }
  MissCore::AddressSpace space;
  space.space = static_cast<std::uint16_t>(core());
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    space.offset[static_cast<std::size_t>(memory)] = offset(memory);
  }
  engine_.open(settings_, space, open_source());
  begin();
}

void MissAgent::register_statistics(StatisticRegistry& registry, const std::string& path) {
  CoreAgent::register_statistics(registry, path);
  engine_.register_statistics(registry, path);
}

void MissAgent::serialize_state(Archive& archive) {
  serialize_passes(archive);
  archive(engine_);
  if (archive.loading()) {
    engine_.pass().resume_loaded();
  }
}

}  // namespace hmsim
