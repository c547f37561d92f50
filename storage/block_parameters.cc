// SPDX-License-Identifier: BSD-3-Clause
#include "storage/block_parameters.h"

#include <limits>

namespace hmsim {

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

NvdimmIo BlockParameters::nvdimm_io(const PathParameters& path) const {
  NvdimmIo io = nvdimm_io(0, threads);
  io.path.take_file_system(path);
  return io;
}

}  // namespace hmsim
