// SPDX-License-Identifier: BSD-3-Clause
// Base of agents that are out-of-order cores over a source of records. They run passes
// (core_pass.h) over parts of the source, each up to a limit of instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "agents/copies.h"
#include "agents/core/core_pass.h"
#include "agents/core/source_parts.h"
#include "core/archive.h"

namespace hmsim {

class CoreAgent : public Agent {
 public:
  CoreAgent(const CoreAgent&) = delete;
  CoreAgent& operator=(const CoreAgent&) = delete;

  void declare(ParameterSet& parameters) override {
    declare_core(parameters);
    Agent::declare(parameters);
    parameters_.declare(parameters);
    copies_.declare(parameters);
  }

  std::vector<ParameterError> check() const override {
    std::vector<ParameterError> errors = parameters_.check();
    append(errors, copies_.check());
    return errors;
  }

  AgentTraits traits() const override { return {"instructions", parameters_.frequency, true}; }
  std::int64_t work(Tick now) const override { return before_pass_ + pass_->retired(now); }
  double weighted_rate() const override {
    return parts_.weighted_ipc(parameters_.slots_per_cycle());
  }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    parts_.register_statistics(registry, path, parameters_.slots_per_cycle());
  }

 protected:
  explicit CoreAgent(const FrontendParameters& defaults) : parameters_(defaults.core) {}

  // Opens the pass, which dispatches at most `ahead` records ahead of time. Pass and source outlive
  // this object. For prepare(), which then calls begin() to start the first pass at time 0.
  void open_pass(CorePass& pass, RecordSource& source, std::int64_t ahead) {
    parts_.open(name(), source);
    pass_ = &pass;
    pass_->open(parameters_, source, &parts_, ahead);
  }

  void begin() {
    pass_->set_limit(limit());
    pass_->start(0);
  }

  // Ends the pass, which is retired in `slot`: the work is done and starts over.
  void end_pass(std::int64_t slot, Tick now) {
    finish(now);
    if (finished_once()) {
      parts_.stop_measuring();
    }
    before_pass_ += pass_->length();
    measured_before_ = 0;
    pass_->set_limit(limit());
    pass_->restart(slot + 1);
  }

  // Serializes the state that precedes the source in a checkpoint.
  void serialize_passes(Archive& archive) {
    archive(*pass_, before_pass_, measured_before_, parts_);
  }

  const CoreParameters& parameters() const { return parameters_; }
  // Returns the bytes to add to addresses of this memory for this copy (rate mode).
  std::uint64_t offset(MemoryClass memory) const {
    return copies_.offset(environment().port->capacity(memory));
  }

  std::int64_t instructions_ = 0;  // per pass; 0: to the end of the source
  SourceParts parts_;

 private:
  void restart_limit(Tick now) override {
    measured_before_ = pass_->retired(now);
    parts_.restart_measuring();
    if (instructions_ != 0) {
      pass_->move_limit(measured_before_ + instructions_, now);
      notify();
    }
  }

  double pass_fraction(Tick now) const override {
    const auto done = static_cast<double>(pass_->retired(now) - measured_before_);
    if (instructions_ != 0) {
      return std::min(1.0, done / static_cast<double>(instructions_));
    }
    return parts_.fraction(done, source_fraction());
  }

  virtual double source_fraction() const = 0;
  std::int64_t limit() const { return instructions_ == 0 ? CorePass::kNoLimit : instructions_; }

  CorePass* pass_ = nullptr;
  CoreParameters parameters_;
  Copies copies_;
  std::int64_t before_pass_ = 0;      // instructions of completed passes
  std::int64_t measured_before_ = 0;  // instructions of this pass before measuring began
};

}  // namespace hmsim
