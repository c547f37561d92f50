// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/core_agent.h"

#include <algorithm>

#include "core/archive.h"

namespace hmsim {

void CoreAgent::declare(ParameterSet& parameters) {
  declare_core(parameters);
  Agent::declare(parameters);
  parameters_.declare(parameters);
  copies_.declare(parameters);
}

std::vector<ParameterError> CoreAgent::check() const {
  std::vector<ParameterError> errors = parameters_.check();
  for (const ParameterError& error : copies_.check()) {
    errors.push_back(error);
  }
  return errors;
}

std::uint64_t CoreAgent::offset(MemoryClass memory) const {
  return copies_.offset(environment().port->capacity(memory));
}

void CoreAgent::open_pass(CorePass& pass, RecordSource& source, std::int64_t ahead) {
  parts_.open("agent." + std::to_string(index()), source);
  pass_ = &pass;
  pass_->open(parameters_, source, &parts_, ahead);
}

void CoreAgent::begin() {
  pass_->set_limit(limit());
  pass_->start(0);
}

void CoreAgent::end_pass(std::int64_t slot, Tick now) {
  finish(now);
  if (finished_once()) {
    parts_.stop_measuring();
  }
  before_pass_ += pass_->length();
  measured_before_ = 0;
  pass_->set_limit(limit());
  pass_->restart(slot + 1);
}

void CoreAgent::restart_limit(Tick now) {
  measured_before_ = pass_->retired(now);
  parts_.restart_measuring();
  if (instructions_ != 0) {
    pass_->move_limit(measured_before_ + instructions_, now);
    notify();
  }
}

double CoreAgent::pass_fraction(Tick now) const {
  const auto done = static_cast<double>(pass_->retired(now) - measured_before_);
  if (instructions_ != 0) {
    return std::min(1.0, done / static_cast<double>(instructions_));
  }
  return parts_.fraction(done, source_fraction());
}

void CoreAgent::serialize_passes(Archive& archive) {
  archive(*pass_, before_pass_, measured_before_, parts_);
}

}  // namespace hmsim
