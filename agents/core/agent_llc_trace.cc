// SPDX-License-Identifier: BSD-3-Clause
// Agent kind llc_trace: a core that runs a trace of last-level cache misses.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/core/dependent_misses.h"
#include "agents/core/miss_agent.h"
#include "agents/trace_keys.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

// Memory requests without times, as misses of a core: each is the last of a fixed number of
// instructions. Reads become loads; writes are posted.
class PacedMisses final : public MissSource {
 public:
  PacedMisses(std::unique_ptr<AccessSource> source, std::int64_t instructions)
      : source_(std::move(source)), instructions_(instructions) {}

  bool next(Miss& miss) override {
    Access access;
    miss = Miss();
    if (!source_->next(access)) {
      return false;
    }
    miss.gap = instructions_;
    miss.load = !access.write;
    miss.write = access.write;
    (access.write ? miss.write_address : miss.load_address) = access.address;
    return true;
  }
  void rewind() override { source_->rewind(); }
  double fraction() const override { return source_->fraction(); }
  void serialize(Archive& archive) override { source_->serialize(archive); }

 private:
  std::unique_ptr<AccessSource> source_;
  std::int64_t instructions_;
};

class LlcCore final : public MissAgent {
 public:
  explicit LlcCore(const FrontendParameters& defaults) : MissAgent(defaults) {
    settings().page_fences = true;
  }

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  std::unique_ptr<MissSource> open_source() override;

  // Returns the names of its formats: those of misses, and those of requests without times.
  static std::vector<std::string> formats();
  bool paced() const {
    const FormatDescriptor* const format = trace_.descriptor();
    return format != nullptr && format->kind() == TraceKind::accesses;
  }

  TraceKeys trace_;
  std::int64_t instructions_per_request_ = 0;    // 0: the trace gives the instructions
  static constexpr std::int64_t kAllVcpus = -1;  // the key's word "all"
  std::int64_t vcpu_ = kAllVcpus;
  double dependence_ = 0;
};

std::vector<std::string> LlcCore::formats() {
  std::vector<std::string> names = format_names(TraceKind::misses);
  for (const FormatDescriptor* format : kFormatTable) {
    if (format->kind() == TraceKind::accesses && format->unit == TimeUnit::none) {
      names.emplace_back(format->name);
    }
  }
  return names;
}

void LlcCore::declare(ParameterSet& parameters) {
  MissAgent::declare(parameters);
  declare_random_stream(parameters);
  trace_.declare(parameters, formats());
  trace_.declare_levels(parameters);
  parameters.integer("instructions_per_request", instructions_per_request_,
                     {0, std::int64_t{1} << 40}, "instructions",
                     {"for traces of memory requests, required there: instructions per request, "
                      "which ends them; 0: as in the trace",
                      "the workload's own"});
  parameters.integer("instructions", instructions_, {0, std::int64_t{1} << 60}, "instructions",
                     {"instructions to run; 0: to the trace's end", "the workload's own"});
  parameters.integer_or("vcpu", vcpu_, {0, 7}, "all", kAllVcpus, "",
                        {"virtual processor of an hmsim trace to run; 'all': the records of all, "
                         "as one core in their order",
                         "a modelling choice of hmsim"});
  parts_.declare(parameters);
  parameters.real("dependence", dependence_, 0, 1, "",
                  {"probability that a load needs the data of the load before it, for formats that "
                   "do not record it; 0: only the window bounds the loads in flight",
                   "assumed: 0, the most parallelism that the window allows"});
  parameters.choice<bool>("nt_fence", settings().page_fences, {{"none", false}, {"page", true}},
                          {"where fences are in traces with non-temporal writes: nowhere, or after "
                           "each run of such writes to one 4 KB page; dispatch then stops until "
                           "they are safe (frontend.node.persistence)",
                           "page: the PMBD driver fences each segment that it copies"});
}

std::vector<ParameterError> LlcCore::check() const {
  std::vector<ParameterError> errors = MissAgent::check();
  append(errors, trace_.check(formats()));
  const FormatDescriptor* const format = trace_.descriptor();
  if (format != nullptr && paced() != (instructions_per_request_ != 0)) {
    errors.push_back({"instructions_per_request",
                      "traces of format '" + trace_.format +
                          (paced() ? "' record no instruction counts: must be at least 1"
                                   : "' record instruction counts: must be 0")});
  }
  if (format != nullptr && !format->names_sources && vcpu_ != kAllVcpus) {
    errors.push_back(
        {"vcpu", "traces of format '" + trace_.format + "' record no vCPUs: must be 'all'"});
  }
  append(errors, parts_.check(instructions_));
  return errors;
}

std::unique_ptr<MissSource> LlcCore::open_source() {
  std::optional<unsigned> vcpu;
  if (vcpu_ != kAllVcpus) {
    vcpu = static_cast<unsigned>(vcpu_);
  }
  std::unique_ptr<MissSource> source;
  if (paced()) {
    source = std::make_unique<PacedMisses>(trace_.open_accesses(index(), environment()),
                                           instructions_per_request_);
  } else {
    source = trace_.descriptor()->misses(trace_.open(index(), environment()), vcpu);
  }
  if (dependence_ == 0) {
    return source;
  }
  return std::make_unique<DependentMisses>(std::move(source), dependence_, environment().seed,
                                           random_stream());
}

}  // namespace

extern const AgentDescriptor kAgent_llc_trace;
const AgentDescriptor kAgent_llc_trace{
    "llc_trace", "out-of-order core over a trace of last-level cache misses", make_agent<LlcCore>};

}  // namespace hmsim
