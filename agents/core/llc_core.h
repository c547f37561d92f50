// SPDX-License-Identifier: BSD-3-Clause
// Kind llc_trace: a core that runs a trace of last-level cache misses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/core/miss_core.h"
#include "agents/trace_keys.h"

namespace hmsim {

class LlcCore final : public MissCore {
 public:
  explicit LlcCore(const FrontendParameters& defaults) : MissCore(defaults) { page_fences_ = true; }

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  std::unique_ptr<MissSource> open_source() override;

  TraceKeys trace_;
  std::int64_t vcpu_ = kAllVcpus;
  double dependence_ = 0;
};

extern const AgentDescriptor kLlcTraceAgent;

}  // namespace hmsim
