// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/node_parameters.h"

#include <array>

#include "agents/frontend_parameters.h"
#include "core/preset_table.h"

namespace hmsim {

namespace {

struct MachineValues {
  CopyEngine engine;
  std::int64_t mshrs;            // loads in flight per core
  std::int64_t prefetch_degree;  // lines
};

constexpr std::array<PresetRow<Machine, MachineValues>, 4> kMachines{{
    {Machine::table3, "table3", {CopyEngine::core, 10, 0}},
    {Machine::marss, "marss", {CopyEngine::core, 48, 0}},
    {Machine::prefetch, "prefetch", {CopyEngine::core, 10, 2}},
    {Machine::dma, "dma", {CopyEngine::dma, 10, 0}},
}};
static_assert(in_order(kMachines));

}  // namespace

void PrefetchParameters::declare(ParameterSet& parameters) {
  const ParameterSet::PartData part(parameters);
  constexpr std::int64_t kLastLine = kLinesPerPage - 1;
  parameters.integer(
      "degree", degree, {0, kLastLine}, "lines",
      {"lines that a core's stream prefetcher requests at each miss of a stream; 0: no prefetcher",
       "machine: prefetch has 2, as the streamer of Intel's L2 caches (optimization manual)"});
  parameters.integer(
      "distance", distance, {1, kLastLine}, "lines",
      {"largest distance from a miss to the last line requested, within its 4 KB page",
       "Intel's optimization manual: up to 20"});
  parameters.integer("training", training, {2, kLinesPerPage}, "lines",
                     {"consecutive neighbouring lines in one direction that make a stream",
                      "assumed: a miss and two that confirm its direction"});
  parameters.integer("streams", streams, {1, 1'024}, "pages",
                     {"pages whose misses a core's prefetcher tracks at a time",
                      "from memory: 32, as in Intel's L2 caches"});
  parameters.integer("mshrs", mshrs, {1, 1'024}, "lines",
                     {"lines of a core's prefetcher in flight",
                      "assumed: as many as the requests that an L2 cache has under way, 48"});
  parameters.integer("buffers", buffers, {1, 4'096}, "lines",
                     {"lines of a core's prefetcher in flight, or arrived and not yet used",
                      "assumed: 16 KiB of an L2 cache"});
}

void NodeParameters::declare(ParameterSet& parameters) {
  declare_preset(
      parameters, "machine", machine, kMachines,
      [this](const auto& row) {
        engine = row.values.engine;
        mshrs = row.values.mshrs;
        prefetch.degree = row.values.prefetch_degree;
      },
      {"preset of `engine`, `mshrs` and `prefetch.degree`. table3: cores copy with 10 loads in "
       "flight; marss: with 48, MARSSx86's load queue; prefetch: with 10 and a stream prefetcher; "
       "dma: a copy engine",
       "table3: a window of 128 and 24 instructions a line leave 5 to 10 lines in flight; marss: "
       "its public source"});
  parameters.choice<CopyEngine>(
      "engine", engine, {{"core", CopyEngine::core}, {"dma", CopyEngine::dma}},
      {"how data move between memory and the NVDIMM: core: by loads and non-temporal stores; dma: "
       "by an engine, while the thread sleeps and its core runs another thread",
       "core: the PMBD driver"});
  CoreParameters::declare_mshrs(parameters, mshrs);
  {
    const ParameterSet::Scope scope(parameters, "prefetch");
    prefetch.declare(parameters);
  }
  parameters.integer("copy_instructions", copy_instructions, {1, 4'096}, "instructions",
                     {"instructions of a core to copy a line, for traces that do not record them",
                      "measured in captures: some 24 a line"});
  parameters.integer(
      "dma_lines", dma_lines, {1, 4'096}, "lines",
      {"lines of one transfer that the engine has outstanding at a time", "assumed"});
  parameters.choice<Persistence>(
      "persistence", persistence,
      {{"controller", Persistence::controller}, {"module", Persistence::module}},
      {"where a written line is safe from power failures, so that a core's fence no longer waits "
       "for it: in the controller's queue, which survives a power failure, or in the NVDIMM",
       "controller: platforms with ADR; module: those without"});
  parameters.choice<WakeUp>("wake", wake,
                            {{"preempts", WakeUp::preempts}, {"queues", WakeUp::queues}},
                            {"when no core is free, a waking thread takes the core of the thread "
                             "that has run longest, or queues before threads that have not slept",
                             "preempts: Linux CFS, which counts sleep in a thread's favour"});
  parameters.time("quantum", quantum,
                  {"time after which a thread yields its core to ready threads",
                   "Linux CFS: 3 ms with few threads a core"});
  parameters.time("switch_time", switch_time,
                  {"time of a core from one thread to another",
                   "assumed: 2 us, as measured by "
                   "lmbench on cores of the paper's time"});
}

std::vector<ParameterError> NodeParameters::check() const {
  std::vector<ParameterError> errors;
  if (quantum < kMicrosecond) {
    errors.push_back({"quantum", "must be between 1us and 1s"});
  }
  return errors;
}

}  // namespace hmsim
