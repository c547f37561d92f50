// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/frontend_parameters.h"

#include <string>

namespace hmsim {

namespace {

constexpr std::int64_t kMegahertz = 1'000'000;
constexpr std::int64_t kMaxFrequency = 10'000 * kMegahertz;

void append(std::vector<ParameterError>& all, const std::string& prefix,
            std::vector<ParameterError> more) {
  for (ParameterError& error : more) {
    all.push_back({prefix + error.name, std::move(error.message)});
  }
}

}  // namespace

void CoreParameters::declare(ParameterSet& parameters) {
  parameters.frequency("frequency", frequency,
                       {"clock of the core, in whole kilohertz", "the paper, Table III"});
  parameters.integer("width", width, {1, 32}, "instructions",
                     {"instructions dispatched and retired per cycle", "the paper, Table III"});
  parameters.integer("window", window, {2, 65'536}, "instructions",
                     {"instructions between dispatch and retirement (reorder buffer)",
                      "assumed: 128, as in the cores of the paper's time"});
  parameters.integer_or("mshrs", mshrs, {1, 65'536}, "window", kWindowOnly, "loads",
                        {"loads in flight; 'window': as many as the window holds",
                         "assumed: the paper names no limit"});
}

std::vector<ParameterError> CoreParameters::check() const {
  std::vector<ParameterError> errors;
  if (frequency < kMegahertz || frequency > kMaxFrequency || frequency % 1'000 != 0) {
    errors.push_back({"frequency", "must be whole kilohertz between 1MHz and 10GHz"});
  }
  if (window <= width) {
    errors.push_back({"window", "must be larger than the width, " + std::to_string(width)});
  }
  return errors;
}

void BlockParameters::declare(ParameterSet& parameters) {
  parameters.integer("threads", threads, {1, 1'024}, "threads",
                     {"threads that do block I/O, one request each at a time",
                      "assumed: one thread of 64 lines cannot fill 104 of 128 queue entries"});
  parameters.integer("window", window, {1, 4'096}, "lines",
                     {"lines of 64 bytes that a thread may have outstanding",
                      "assumed: the lines of one 4 KB block"});
  parameters.time("software_time", software_time,
                  {"time in system call, file system and driver per 4 KB block",
                   "assumed: 2.6 us were measured with a RAM disk (SC10, HASTE)"});
  parameters.choice(
      "fence", fence, {{"block", Fence::block}, {"request", Fence::request}},
      {"where a core's persist epoch ends, for policies that keep epochs in order: after each 4 KB "
       "block written, or after each write request, as if all carried FUA (few traces tell)",
       "block: the PMBD driver fences each copy"});
}

std::vector<ParameterError> BlockParameters::check() const {
  if (software_time > kSecond) {
    return {{"software_time", "exceeds 1s"}};
  }
  return {};
}

void FrontendParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope frontend(parameters, "frontend");
  {
    const ParameterSet::Scope scope(parameters, "core");
    core.declare(parameters);
  }
  {
    const ParameterSet::Scope scope(parameters, "block");
    block.declare(parameters);
  }
  parameters.choice<TranslationKind>(
      "translation", translation,
      {{"first_touch", TranslationKind::first_touch}, {"modulo", TranslationKind::modulo}},
      {"where a core's 4 KB pages lie in DRAM: seeded free frames in order of first touch, or the "
       "address modulo the capacity",
       "assumed: traces hold virtual addresses"});
  parameters.time("series_interval", series_interval,
                  {"time between two rows of the time series of all statistics; 0s: none",
                   "a modelling choice of hmsim"});
}

std::vector<ParameterError> FrontendParameters::check() const {
  std::vector<ParameterError> errors;
  append(errors, "frontend.core.", core.check());
  append(errors, "frontend.block.", block.check());
  if (series_interval != Tick(0) && (series_interval < kNanosecond || series_interval > kSecond)) {
    errors.push_back({"frontend.series_interval", "must be 0s, or between 1ns and 1s"});
  }
  return errors;
}

}  // namespace hmsim
