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
  set.size(
      "read_size", read_size, sizes,
      {"size of the read part of the synchronisation buffer", "the paper, section III (400 MB)"});
  set.size(
      "write_size", write_size, sizes,
      {"size of the write part of the synchronisation buffer", "the paper, section III (400 MB)"});
  set.choice("granularity", granularity,
             {{"page", BufferGranularity::page}, {"item", BufferGranularity::item}},
             {"content of a frame: a 4 KiB page or a 64 B item", "the paper, section III"});
  set.choice("item_reads", item_reads, {{"own", ItemReads::own}, {"shared", ItemReads::shared}},
             {"reads of missing items, with item frames: each item has its own flash read of its "
              "page, or all missing items of a page share the read in progress",
              "assumed; the paper, section V-B: flash is read page by page"});
  set.time("lookup", lookup, {"time of a lookup in buffer and map (tBC)", kTable3}, kMillisecond);
  set.choice("port", port, {{"pipelined", BufferPort::pipelined}, {"serial", BufferPort::serial}},
             {"whether lookups overlap or run one after the other", "assumed"});
  set.choice("release", release,
             {{"program", FrameRelease::program}, {"datain", FrameRelease::datain}},
             {"when an evicted frame is free: once its page is programmed (safe from power loss), "
              "or once the chip's register has its data",
              "assumed"});
  set.choice("flush", flush, {{"none", BufferFlush::none}, {"writeback", BufferFlush::writeback}},
             {"what a flush does before its ack: nothing, since ultracapacitors make the buffer "
              "durable; or write back all of the write part",
              "none: the paper, section V-B2 (power failures)"});
  set.name_of("manager", manager, policy_names(PolicyKind::buffer_manager),
              {"work for queued commands before their lookup", "the paper, section V-B"});
  set.name_of("replacement", replacement, policy_names(PolicyKind::buffer_replacement),
              {"replacement policy: the next frame to give up", "the paper, section III (LRU)"});
}

void BufferParameters::check(const NandParameters& nand,
                             std::vector<ParameterError>& errors) const {
  if (nand.program_failure > 0 && release == FrameRelease::datain) {
    errors.push_back({"nvdimm.nand.program_failure",
                      "must be 'program' in nvdimm.buffer.release: pages whose program fails must "
                      "still be in the buffer"});
  }
}

}  // namespace hmsim
