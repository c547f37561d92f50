// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/parameters.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/preset_table.h"
#include "core/units.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/design.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/power.h"
#include "nvdimm/precondition.h"
#include "policies/policy.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr const char* kTable3 = "the paper, Table III";

void declare_buffer(ParameterSet& set, BufferParameters& buffer) {
  const ParameterSet::Scope scope(set, "buffer");
  const Range sizes{kPageBytes.value(), kTiB};
  set.size("read_size", buffer.read_size, sizes,
           {"read part of the synchronisation buffer", "the paper, section II (400 MB)"});
  set.size("write_size", buffer.write_size, sizes,
           {"write part of the synchronisation buffer", "the paper, section II (400 MB)"});
  set.choice("granularity", buffer.granularity,
             {{"page", BufferGranularity::page}, {"item", BufferGranularity::item}},
             {"what a frame holds: a 4 KiB page or a 64 B item", "the paper, section III"});
  set.time("lookup", buffer.lookup, {"time of a lookup in buffer and map (tBC)", kTable3},
           kMillisecond);
  set.choice("port", buffer.port,
             {{"pipelined", BufferPort::pipelined}, {"serial", BufferPort::serial}},
             {"whether lookups overlap or follow one another", "assumed"});
  set.choice("release", buffer.release,
             {{"program", FrameRelease::program}, {"datain", FrameRelease::datain}},
             {"an evicted frame is free again once its page is programmed (safe against power "
              "loss), or once the chip's register has its data",
              "assumed"});
  set.choice("flush", buffer.flush,
             {{"none", BufferFlush::none}, {"writeback", BufferFlush::writeback}},
             {"what a flush has to do before it is acknowledged: nothing, since ultracapacitors "
              "make the buffer durable, or write back all of the write part",
              "none: the paper, section IV (power failures)"});
  set.name_of("manager", buffer.manager, policy_names(PolicyKind::buffer_manager),
              {"what is done for commands that are queued and not yet looked up",
               "the paper, section V-B"});
  set.name_of("replacement", buffer.replacement, policy_names(PolicyKind::buffer_replacement),
              {"which frame is given up next", "the paper, section III (LRU)"});
}

void declare_ftl(ParameterSet& set, FtlParameters& ftl) {
  const ParameterSet::Scope scope(set, "ftl");
  set.real("over_provisioning", ftl.over_provisioning, 0.1, 1000, "percent",
           {"raw capacity beyond the logical one, relative to the logical one", "MQSim"});
  set.choice("allocation", ftl.allocation,
             {{"dynamic", PageAllocation::dynamic}, {"static", PageAllocation::fixed}},
             {"LUN of a written page: the next idle one in stripe order, or the page's striped "
              "place",
              "assumed"});
  set.text("order", ftl.order,
           {"stripe order of C(hannel) W(ay, a chip) D(ie) P(lane); the first varies fastest; a "
            "LUN has one plane",
            "MQSim, SimpleSSD"});
  set.real("gc_threshold", ftl.gc_threshold, 0, 0.9, "of a LUN's blocks",
           {"collection starts when fewer blocks are free", "MQSim, SimpleSSD"});
  set.integer(
      "reserve_blocks", ftl.reserve_blocks, {2, 1024}, "blocks",
      {"free blocks of a LUN below which collection starts whatever gc_threshold says", "assumed"});
  set.choice("frontier", ftl.frontier,
             {{"separate", WriteFrontier::separate}, {"shared", WriteFrontier::shared}},
             {"whether collected pages go to an open block of their own", "assumed"});
  set.choice("partial_writes", ftl.partial_writes,
             {{"combine", PartialWrites::combine},
              {"pad", PartialWrites::pad},
              {"merge", PartialWrites::merge}},
             {"what fills a flash page that has room for several pages of 4 KiB. combine: other "
              "pages that leave the buffer with the first, then padding; pad: padding; merge: the "
              "pages beside it in the address space, read from flash where the buffer has them not",
              "assumed; SimpleSSD, MQSim: merge"});
  set.choice("map", ftl.map, {{"full", MapPlace::full}, {"cached", MapPlace::cached}},
             {"where the map is: all of it in the NVDIMM's memory, or in translation pages in "
              "flash, of which single entries are cached",
              "Gupta et al. (DFTL), ASPLOS 2009"});
  set.size("map_cache", ftl.map_cache, {kCachedEntryBytes.value(), kTiB},
           {"memory for entries of a cached map, 8 B each", "MQSim: 2 MiB"});
  set.size("map_entry", ftl.map_entry, {4, 256},
           {"an entry of a cached map in its translation page, a flash page",
            "Gupta et al. (DFTL), ASPLOS 2009"});
  set.name_of("victim", ftl.victim, policy_names(PolicyKind::victim_selector),
              {"which full block of a LUN is cleaned next", "the paper's is not given"});
  set.integer_or("wear_gap", ftl.wear_gap, {1, 1'000'000}, "off", 0, "erases",
                 {"static wear levelling: once a LUN's most worn block was erased so many times "
                  "more often than its least worn full one, that one's pages are moved",
                  "MQSim: 100"});
}

void declare_gc(ParameterSet& set, GcParameters& gc) {
  const ParameterSet::Scope scope(set, "gc");
  set.name_of("scheduler", gc.scheduler, policy_names(PolicyKind::gc_scheduler),
              {"when collection takes its steps, and what goes before them", "the paper, V-C"});
  set.real("urgent_limit", gc.urgent_limit, 0, 0.9, "of a LUN's blocks",
           {"with fewer blocks free (never fewer than 2), collection is not deferred any more",
            "MQSim"});
  set.boolean("hold_channel", gc.hold_channel,
              {"the flash channel is held during a whole page copy", "assumed"});
}

void declare_precondition(ParameterSet& set, PreconditionParameters& precondition) {
  const ParameterSet::Scope scope(set, "precondition");
  set.real("fill", precondition.fill, 0, 1, "of the logical pages",
           {"logical pages written once, in order, before the simulation starts", "assumed"});
  set.real("overwrite", precondition.overwrite, 0, 100, "logical capacities",
           {"then so much is written again to the filled pages", "assumed"});
  set.choice(
      "pattern", precondition.pattern,
      {{"uniform", PreconditionPattern::uniform},
       {"sequential", PreconditionPattern::sequential},
       {"zipf", PreconditionPattern::zipf}},
      {"order of these overwrites; zipf: the n-th hottest page, at a random place, is written in "
       "proportion to 1/n",
       "assumed"});
  set.choice(
      "buffer", precondition.buffer,
      {{"none", PreconditionBuffer::none},
       {"dirty", PreconditionBuffer::dirty},
       {"resident", PreconditionBuffer::resident},
       {"captured", PreconditionBuffer::captured}},
      {"what the synchronisation buffer holds at the start: nothing; a write part full of dirty "
       "pages, those that the pattern would write next; a read part with the pages that the "
       "agents will read, as many as fit: the best case; or a write part with the pages that "
       "captured jobs had written last before they began, as far as their traces tell",
       "assumed"});
  set.text(
      "load", precondition.load,
      {"instead of writing all this: a file that 'hmsim precondition' wrote for the same NVDIMM, "
       "keys and seed; its path is relative to the working directory",
       ""});
}

bool is_order(std::string order) {
  std::sort(order.begin(), order.end());
  return order == "CDPW";
}

bool check_capacity(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  const Bytes block = parameters.nand.superblock_pages() * parameters.nand.page_size;
  const Bytes stripe = parameters.luns() * block;
  const std::string name = "nvdimm.capacity";
  const std::string size = format_size(parameters.capacity);
  const std::string luns = std::to_string(parameters.luns()) +
                           " LUNs (nvdimm.nand.{channels,chips,dies}) of " + format_size(block) +
                           " blocks (nvdimm.nand.{page_size,pages_per_block,planes})";
  if (parameters.capacity % stripe != Bytes(0)) {
    const std::int64_t near = (parameters.capacity + stripe / 2) / stripe;
    errors.push_back(
        {name, size + " is not a multiple of " + format_size(stripe) + ", one block on each of " +
                   luns + "; nearest: " + format_size(std::max(near, kFewestBlocks) * stripe)});
  } else if (parameters.capacity / stripe < kFewestBlocks) {
    errors.push_back({name, size + " gives only " + std::to_string(parameters.capacity / stripe) +
                                " blocks to each of " + luns + "; at least " +
                                std::to_string(kFewestBlocks) +
                                " are needed: " + format_size(kFewestBlocks * stripe)});
  }
  return std::none_of(errors.begin(), errors.end(),
                      [&name](const ParameterError& error) { return error.name == name; });
}

// The smallest over-provisioning, in steps of a tenth of a percent, with which all fits; 0: none.
double enough_over_provisioning(NvdimmParameters parameters) {
  constexpr double kSteps = 10;  // of a percent
  constexpr double kMost = 1000;
  const auto fits = [&parameters](double steps) {
    parameters.ftl.over_provisioning = steps / kSteps;
    const FtlShape shape = ftl_shape(parameters);
    return shape.logical_pages > 0 && shape.needed <= shape.valid_limit() * shape.luns;
  };
  double low = 0;
  double high = kMost * kSteps;
  if (!fits(high)) {
    return 0;
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? high : low) = middle;
  }
  return high / kSteps;
}

// The most blocks that may be kept free with the over-provisioning as it is.
std::string most_kept(const FtlShape& shape) {
  const std::uint64_t of_block = std::uint64_t{shape.luns} * (shape.worth_collecting() + 1);
  const std::uint64_t taken =
      (shape.needed + of_block - 1) / of_block + shape.frontiers() + shape.bad_blocks;
  constexpr std::uint64_t kLeast = 2;
  return taken + kLeast > shape.blocks
             ? ""
             : "; " + std::to_string(shape.blocks - taken) + " of them would do";
}

void check_over_provisioning(const NvdimmParameters& parameters,
                             std::vector<ParameterError>& errors) {
  const FtlShape shape = ftl_shape(parameters);
  const std::string kept = std::to_string(shape.gc_threshold) + " of " +
                           std::to_string(shape.blocks) +
                           " blocks of a LUN kept free (nvdimm.ftl.{gc_threshold,reserve_blocks}" +
                           (parameters.store_data ? ", nvdimm.buffer.write_size)" : ")");
  if (shape.logical_pages == 0 ||
      shape.gc_threshold + shape.frontiers() + shape.bad_blocks >= shape.blocks) {
    errors.push_back(
        {"nvdimm.ftl.gc_threshold", "leaves no room for data: " + kept + most_kept(shape)});
    return;
  }
  const std::uint64_t room = shape.valid_limit() * shape.luns;
  if (shape.needed > room) {
    const double enough = enough_over_provisioning(parameters);
    errors.push_back(
        {"nvdimm.ftl.over_provisioning",
         format_real(parameters.ftl.over_provisioning) + " is too little: " +
             std::to_string(shape.needed) + " valid pages (those on their way to flash" +
             (shape.map_pages() > 0 ? " and of the map" : "") + " included) must fit, but with " +
             kept + " and " + std::to_string(shape.frontiers()) + " blocks open only " +
             std::to_string(room) + " do" +
             (enough > 0 ? "; " + format_real(enough) + " is enough" : most_kept(shape))});
  }
}

void check_buffer(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  const PreconditionParameters& precondition = parameters.precondition;
  if (precondition.buffer == PreconditionBuffer::dirty &&
      filled_pages(precondition, ftl_shape(parameters).logical_pages) == 0) {
    errors.push_back({"nvdimm.precondition.buffer",
                      "'dirty' takes its pages from the filled ones, and there are none: set "
                      "nvdimm.precondition.fill, to 0.5, say"});
  }
}

// Each page that collection moves dirties an entry. A victim has at most so many valid pages for
// each page that it frees as there are logical pages for each spare one; unless translation pages
// are written with more changed entries at once, collecting uses up more pages than it frees.
void check_map_cache(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  const FtlShape shape = ftl_shape(parameters);
  const std::uint64_t raw = std::uint64_t{shape.luns} * shape.blocks * shape.pages;
  const std::uint64_t spare = raw - std::min(raw, shape.logical_pages);
  const std::uint64_t together = (spare == 0 ? 0 : 2 * shape.logical_pages / spare)
                                 << shape.part_bits;
  if (shape.map_pages() > 0 && shape.cached_entries < together * shape.map_pages()) {
    errors.push_back(
        {"nvdimm.ftl.map_cache",
         format_size(parameters.ftl.map_cache) + " are too little: with this over-provisioning " +
             std::to_string(together) + " entries of each of " + std::to_string(shape.map_pages()) +
             " translation pages must be cached, " +
             format_size(static_cast<std::int64_t>(together * shape.map_pages()) *
                         kCachedEntryBytes)});
  }
}

}  // namespace

void NvdimmParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "nvdimm");
  set.boolean("present", present, {"whether the channel carries an NVDIMM", ""});
  declare_preset(
      set, "kind", kind, kNvdimmKinds,
      [this](const NvdimmKindEntry& row) { media.technology = row.technology; },
      {"what it stores data in: flash behind a buffer and an FTL, or byte-addressable cells, "
       "whose read_time, write_time, read_energy and write_energy are set where these are not "
       "given; nvdimm.media is for these, all else but capacity, command_queue and power for flash",
       "Caulfield et al., SC 2010"});
  declare_size(set);
  set.integer("command_queue", command_queue, {1, 65536}, "entries",
              {"commands that may be unfinished in the NVDIMM", kTable3});
  declare_flash(set);
  power.declare(set);
  media.declare(set);
}

void NvdimmParameters::declare_size(ParameterSet& set) {
  set.size("capacity", capacity, {kMiB, 8 * kTiB},
           {"raw flash capacity; the logical one is less by the over-provisioning", kTable3});
  set.choice("unmapped_read", unmapped_read,
             {{"flash", UnmappedRead::flash}, {"zero", UnmappedRead::zero}},
             {"never-written pages are read from flash at their striped place, or answered at once "
              "without flash access",
              "assumed"});
}

void NvdimmParameters::declare_flash(ParameterSet& set) {
  declare_buffer(set, buffer);
  declare_ftl(set, ftl);
  nand.declare(set);
  declare_gc(set, gc);
  declare_precondition(set, precondition);
}

std::vector<ParameterError> NvdimmParameters::check() const {
  std::vector<ParameterError> errors;
  design_of(kind).check(*this, errors);
  return errors;
}

void check_flash(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  const std::string& order = parameters.ftl.order;
  if (!is_order(order)) {
    errors.push_back(
        {"nvdimm.ftl.order",
         "'" + order.substr(0, 80) + "' does not name each of C, W, D and P once, as CWDP"});
  }
  if (parameters.precondition.overwrite > 0 && parameters.precondition.fill == 0) {
    errors.push_back({"nvdimm.precondition.overwrite",
                      "there is nothing to write again while nvdimm.precondition.fill is 0"});
  }
  parameters.nand.check(errors);
  if (parameters.nand.program_failure > 0 && parameters.buffer.release == FrameRelease::datain) {
    errors.push_back(
        {"nvdimm.nand.program_failure",
         "what fails must still be in the buffer: needs nvdimm.buffer.release: program"});
  }
  const std::string lost = check_energy(parameters);
  if (!lost.empty()) {
    errors.push_back({"nvdimm.power.energy", lost});
  }
  if (is_page_size(parameters.nand.page_size) && check_capacity(parameters, errors)) {
    check_buffer(parameters, errors);
    check_over_provisioning(parameters, errors);
    check_map_cache(parameters, errors);
  }
}

}  // namespace hmsim
