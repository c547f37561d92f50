// SPDX-License-Identifier: BSD-3-Clause
// Base of agents that are cores with their own source of misses: a trace or a generator.
#pragma once

#include <memory>
#include <string>

#include "agents/application_observer.h"
#include "agents/core/core_agent.h"
#include "agents/core/miss_core.h"
#include "core/archive.h"

namespace hmsim {

class MissAgent : public CoreAgent, private MissCore::Owner {
 public:
  explicit MissAgent(const FrontendParameters& defaults)
      : CoreAgent(defaults), settings_(defaults), engine_(*this, *this) {}

  void declare(ParameterSet& parameters) override {
    CoreAgent::declare(parameters);
    settings_.declare(parameters);
  }

  Tick next_event() const final { return engine_.next_event(); }
  Tick advance(Tick now) final { return engine_.advance(now); }
  void on_taken(const Request& request, Tick now) final { engine_.on_taken(request, now); }
  void on_admit(const Request& request, Tick now) final { engine_.on_admit(request, now); }

  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    CoreAgent::register_statistics(registry, path);
    engine_.register_statistics(registry, path);
  }

  void each_page_read(bool to_limit, const PageVisitor& visit) override {
    engine_.each_page_read(to_limit, visit);
  }

 protected:
  MissCore::Settings& settings() { return settings_; }

 private:
  virtual std::unique_ptr<MissSource> open_source() = 0;

  void prepare() override {
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

  double source_fraction() const override { return engine_.source_fraction(); }
  void handle_completion(const Request& request, Tick now) final {
    engine_.on_complete(request, now);
  }

  void serialize_state(Archive& archive) override {
    serialize_passes(archive);
    archive(engine_);
    if (archive.loading()) {
      engine_.pass().resume_loaded();
    }
  }

  void pass_ended(std::int64_t slot, Tick now) override { end_pass(slot, now); }
  void stored(MemoryClass memory, Address address) override {
    engine_.give_up_copy(memory, address);
  }

  MissCore::Settings settings_;
  MissCore engine_;
};

}  // namespace hmsim
