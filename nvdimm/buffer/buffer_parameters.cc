// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/buffer_parameters.h"

#include "nvdimm/nand/nand_parameters.h"
#include "policies/policy.h"

namespace hmsim {

namespace {

constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr const char* kTable3 = "the paper, Table III";

}  // namespace

void BufferParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "buffer");
  const Range sizes{kPageBytes.value(), kTiB};
  set.size("read_size", read_size, sizes,
           {"read part of the synchronisation buffer", "the paper, section III (400 MB)"});
  set.size("write_size", write_size, sizes,
           {"write part of the synchronisation buffer", "the paper, section III (400 MB)"});
  set.choice("granularity", granularity,
             {{"page", BufferGranularity::page}, {"item", BufferGranularity::item}},
             {"what a frame holds: a 4 KiB page or a 64 B item", "the paper, section III"});
  set.choice("item_reads", item_reads, {{"own", ItemReads::own}, {"shared", ItemReads::shared}},
             {"item frames: each missing item has a flash read of its page, or all items of a "
              "page that are missing while it is read share one",
              "assumed; the paper, section V-B: flash is read page by page"});
  set.time("lookup", lookup, {"time of a lookup in buffer and map (tBC)", kTable3}, kMillisecond);
  set.choice("port", port, {{"pipelined", BufferPort::pipelined}, {"serial", BufferPort::serial}},
             {"whether lookups overlap or follow one another", "assumed"});
  set.choice("release", release,
             {{"program", FrameRelease::program}, {"datain", FrameRelease::datain}},
             {"an evicted frame is free again once its page is programmed (safe against power "
              "loss), or once the chip's register has its data",
              "assumed"});
  set.choice("flush", flush, {{"none", BufferFlush::none}, {"writeback", BufferFlush::writeback}},
             {"what a flush has to do before it is acknowledged: nothing, since ultracapacitors "
              "make the buffer durable, or write back all of the write part",
              "none: the paper, section V-B2 (power failures)"});
  set.name_of("manager", manager, policy_names(PolicyKind::buffer_manager),
              {"what is done for commands that are queued and not yet looked up",
               "the paper, section V-B"});
  set.name_of("replacement", replacement, policy_names(PolicyKind::buffer_replacement),
              {"which frame is given up next", "the paper, section III (LRU)"});
}

void BufferParameters::check(const NandParameters& nand,
                             std::vector<ParameterError>& errors) const {
  if (nand.program_failure > 0 && release == FrameRelease::datain) {
    errors.push_back(
        {"nvdimm.nand.program_failure",
         "what fails must still be in the buffer: needs nvdimm.buffer.release: program"});
  }
}

}  // namespace hmsim
