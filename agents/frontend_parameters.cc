// SPDX-License-Identifier: BSD-3-Clause
#include "agents/frontend_parameters.h"

#include <cmath>
#include <limits>
#include <string>

namespace hmsim {

void CoreParameters::declare(ParameterSet& parameters) {
  parameters.frequency("frequency", frequency,
                       {"clock of the core, in whole kilohertz", "the paper, Table III"});
  parameters.integer("width", width, {1, 32}, "instructions",
                     {"instructions dispatched and retired per cycle", "the paper, Table III"});
  declare_base_cpi(parameters, base_cpi);
  parameters.integer("window", window, {2, 65'536}, "instructions",
                     {"instructions between dispatch and retirement (reorder buffer)",
                      "assumed: 128, as in the cores of the paper's time"});
}

void CoreParameters::declare_base_cpi(ParameterSet& parameters, double& base_cpi) {
  parameters.real("base_cpi", base_cpi, 0, 1'000, "cycles",
                  {"base CPI: cycles per instruction while nothing misses, the same for all "
                   "instructions; 0: as the width allows",
                   "measured for each program with a memory without latency"});
}

void CoreParameters::declare_mshrs(ParameterSet& parameters, std::int64_t& mshrs) {
  parameters.integer_or(
      "mshrs", mshrs, {1, 65'536}, "window", kWindowOnly, "loads",
      {"loads in flight; 'window': the window's size", "assumed: the paper names no limit"});
}

std::int64_t CoreParameters::slots_per_millisecond() const {
  constexpr std::int64_t kPerSecond = 1'000;
  const std::int64_t cycles = frequency / kPerSecond;
  return base_cpi == 0 ? cycles * width : std::llround(static_cast<double>(cycles) / base_cpi);
}

std::int64_t CoreParameters::slots_at_base_cpi(std::int64_t cycles) const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) / base_cpi));
}

std::vector<ParameterError> CoreParameters::check() const {
  std::vector<ParameterError> errors;
  if (frequency % 1'000 != 0) {
    errors.push_back({"frequency", "must be whole kilohertz"});
  }
  if (base_cpi != 0 && base_cpi * static_cast<double>(width) < 1) {
    errors.push_back({"base_cpi", "must be 0, or no less than the width allows: at least 1/" +
                                      std::to_string(width)});
  }
  if (window <= width) {
    errors.push_back({"window", "must be larger than the width, " + std::to_string(width)});
  }
  return errors;
}

void BlockParameters::declare(ParameterSet& parameters) {
  parameters.integer("threads", threads, {1, 1'024}, "threads",
                     {"threads that do block I/O, one request each at a time",
                      "assumed: one for each core of the paper's machine"});
  parameters.integer("window", window, {1, 4'096}, "lines",
                     {"lines of 64 bytes that a thread may have outstanding; with nvdimm.access: "
                      "block, commands for the lines of a page",
                      "the line fill buffers of a core that copies: 10 in Intel's optimization "
                      "manual, Sandy Bridge to Broadwell"});
  parameters.choice(
      "fence", fence, {{"block", Fence::block}, {"request", Fence::request}},
      {"where a core's persist epoch ends, for policies that keep epochs in order: after each 4 KB "
       "block written, or after each write request, as if all carried FUA (few traces record it)",
       "block: the PMBD driver fences each copy"});
  declare_preset(
      parameters, "driver", driver, kNvdimmDrivers,
      [this](const auto& row) {
        how = row.values;
        request_time = io_driver_of(how.software).read.entry;
        software_time = io_driver_of(how.software).page_time;
      },
      {"the layer between files and the NVDIMM: nd_pmem (default), pmbd (the paper's) or dax "
       "(files mapped into memory); a preset of the keys from `copy` to `fault_time`",
       "docs/block-drivers.md lists them and their sources"});
  const ParameterSet::PartData part(parameters);
  parameters.choice<CopyKind>(
      "copy", how.copy,
      {{"non_temporal", CopyKind::non_temporal},
       {"write_back", CopyKind::write_back},
       {"uncached", CopyKind::uncached}},
      {"how lines are copied: non_temporal: loads, and stores past the caches; write_back: stores "
       "through the caches, with each line of a page read, then flushed; uncached: eight bytes at "
       "a time, one access after the other",
       "the PMBD driver's options nts, clflush and UC; nd_pmem is non_temporal, clwb is "
       "write_back"});
  parameters.choice<WaitFor>(
      "wait", how.wait, {{"request", WaitFor::request}, {"block", WaitFor::block}},
      {"what a thread finishes before it continues: its request, or each 4 KB block of it",
       "block: the PMBD driver fences each copy and unmaps the page"});
  parameters.choice<WriteEnd>(
      "write_end", how.write_end, {{"done", WriteEnd::done}, {"accepted", WriteEnd::accepted}},
      {"when a written line no longer counts as outstanding and fences no longer wait for it: when "
       "it is done, or when it has an entry of its transaction queue",
       "accepted: what is in the queue survives (ADR); done: kernels before that waited longer"});
  parameters.choice<Barrier>(
      "barrier", how.barrier, {{"command", Barrier::command}, {"driver", Barrier::driver}},
      {"how a flush or FUA acts: as a command to the NVDIMM; or the driver holds back new writes "
       "until those in flight have ended, and ignores FUA",
       "driver: the PMBD driver's REQ_FLUSH"});
  parameters.time(
      "request_time", request_time,
      {"time in system call, file system and driver per request",
       "assumed, with software_time 3 us for 4 KB: 2.6 us were measured with a RAM disk "
       "(SC10, HASTE)"});
  parameters.time("software_time", software_time,
                  {"time per 4 KB block of the request, added to request_time", "assumed"});
  parameters.time("map_time", how.map_time,
                  {"time to map a page before it is copied, and to unmap it",
                   "assumed for the PMBD driver's private mapping (pmap): 300 ns"});
  parameters.time("fault_time", how.fault_time,
                  {"time of the page fault when a page of the NVDIMM is touched for the first time",
                   "assumed for files mapped by DAX: 1 us, from memory"});
}

NvdimmIo BlockParameters::nvdimm_io(std::int64_t source, std::int64_t contexts) const {
  NvdimmIo io;
  io.path.driver = io_driver_of(how.software);
  io.path.driver.read.entry = io.path.driver.write.entry = request_time;
  io.path.driver.page_time = software_time;
  io.path.contexts = contexts;
  io.path.max_request = Bytes(std::numeric_limits<std::int64_t>::max());
  io.device = {how, fence, window, 0, static_cast<std::uint16_t>(source)};
  io.of_block_agent = true;
  return io;
}

void FrontendParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope frontend(parameters, "frontend");
  {
    const ParameterSet::Scope scope(parameters, "core");
    core.declare(parameters);
    CoreParameters::declare_mshrs(parameters, core.mshrs);
  }
  const auto declare_part = [&parameters](const char* name, auto& part) {
    const ParameterSet::Scope scope(parameters, name);
    part.declare(parameters);
  };
  declare_part("cache", cache);
  declare_part("block", block);
  declare_part("node", node);
  cluster.declare(parameters);
  parameters.choice<TranslationKind>(
      "translation", translation,
      {{"first_touch", TranslationKind::first_touch}, {"modulo", TranslationKind::modulo}},
      {"where a core's 4 KB pages are in DRAM: seeded free frames in order of first touch, or the "
       "address modulo the capacity",
       "assumed: traces contain virtual addresses"});
  parameters.time("series_interval", series_interval,
                  {"time between two rows of the time series of all statistics; 0s: none",
                   "a modelling choice of hmsim"});
  parameters.choice("until", until, {{"finished", RunEnd::finished}, {"steady", RunEnd::steady}},
                    {"what ends a run. finished: every measured agent has done its work; steady: "
                     "the rates of all that have not are steady, or the same",
                     "SNIA solid-state storage performance test specification"});
  parameters.time("time_limit", time_limit,
                  {"simulated time from the start of measuring after which a run ends, finished or "
                   "not; 0s: no limit",
                   "a modelling choice of hmsim"},
                  kHour);
  parameters.time("stall_limit", stall_limit,
                  {"a run fails when a request has held an entry of its transaction queue for "
                   "longer, as when a policy always prefers others; 0s: no limit",
                   "a modelling choice of hmsim"},
                  kHour);
}

std::vector<ParameterError> FrontendParameters::check() const {
  std::vector<ParameterError> errors;
  append(errors, core.check(), "frontend.core.");
  append(errors, cache.check(), "frontend.cache.");
  append(errors, node.check(), "frontend.node.");
  append(errors, cluster.check(), "frontend.");
  if (series_interval != Tick(0) && series_interval < kNanosecond) {
    errors.push_back({"frontend.series_interval", "must be 0s, or between 1ns and 1s"});
  }
  return errors;
}

}  // namespace hmsim
