// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/node_parameters.h"

#include "agents/frontend_parameters.h"

namespace hmsim {

void NodeParameters::become(Machine kind) {
  constexpr std::int64_t kTable3Loads = 10;
  constexpr std::int64_t kMarssLoads = 48;
  engine = kind == Machine::dma ? CopyEngine::dma : CopyEngine::core;
  mshrs = kind == Machine::marss ? kMarssLoads : kTable3Loads;
}

void NodeParameters::declare(ParameterSet& parameters) {
  parameters.preset<Machine>(
      "machine", machine,
      {{"table3", Machine::table3}, {"marss", Machine::marss}, {"dma", Machine::dma}},
      [this](Machine kind) { become(kind); },
      {"what `engine` and `mshrs` are, where they are not given: cores that copy with 10 loads in "
       "flight; as many as MARSSx86's load queue holds, 48; or a copy engine",
       "table3: a window of 128 and 24 instructions a line leave 5 to 10 lines in flight; marss: "
       "its public source"});
  parameters.choice<CopyEngine>(
      "engine", engine, {{"core", CopyEngine::core}, {"dma", CopyEngine::dma}},
      {"who copies between memory and the NVDIMM: the core, with loads and non-temporal stores, or "
       "an engine, while the thread sleeps and its core runs another",
       "core: the PMBD driver"});
  CoreParameters::declare_mshrs(parameters, mshrs);
  parameters.integer("copy_instructions", copy_instructions, {1, 4'096}, "instructions",
                     {"that a core takes to copy a line, where no trace tells",
                      "measured in captures: some 24 a line"});
  parameters.integer("dma_lines", dma_lines, {1, 4'096}, "lines",
                     {"of one transfer that the engine has outstanding at a time", "assumed"});
  parameters.choice<WakeUp>(
      "wake", wake, {{"preempts", WakeUp::preempts}, {"queues", WakeUp::queues}},
      {"a thread that wakes while no core is free takes that of the thread which has had one for "
       "longest, or only goes before those that were not asleep",
       "preempts: Linux CFS, which counts sleep in a thread's favour"});
  parameters.time("quantum", quantum,
                  {"time after which a thread lets others run that are ready",
                   "Linux CFS: 3 ms with few threads a core"});
  parameters.time("switch_time", switch_time,
                  {"time of a core from one thread to another",
                   "assumed: 2 us, as measured by "
                   "lmbench on cores of the paper's time"});
}

std::vector<ParameterError> NodeParameters::check() const {
  std::vector<ParameterError> errors;
  if (quantum < kMicrosecond || quantum > kSecond) {
    errors.push_back({"quantum", "must be between 1us and 1s"});
  }
  if (switch_time > kSecond) {
    errors.push_back({"switch_time", "exceeds 1s"});
  }
  return errors;
}

}  // namespace hmsim
