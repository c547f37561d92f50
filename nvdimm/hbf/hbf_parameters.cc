// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/hbf/hbf_parameters.h"

#include <algorithm>
#include <string>

#include "policies/policy.h"

namespace hmsim {

namespace {

constexpr const char* kSpecification = "after OCP HBF 0.7.0";
constexpr std::int64_t kMegabyte = 1'000'000;

void declare_link(ParameterSet& set, HbfParameters& hbf) {
  set.integer("grade", hbf.grade, {1, 3}, "",
              {"speed grade: 1, 2 or 3 carries 48, 96 or 192 GB/s of a channel in each direction, "
               "framing taken off",
               kSpecification});
  set.integer_or("outstanding", hbf.outstanding, {1, 16384}, "auto", kOfBanks, "reads",
                 {"reads of a channel that are sent and not answered; auto: 16 for each bank, at "
                  "least 256",
                  "after OCP HBF 0.7.0: 1, or 256 to 16384"});
  const ParameterSet::PartData part(set);
  set.integer_or("read_rate", hbf.read_rate_set, {1, 1'000'000}, "grade", kOfGrade, "MB/s",
                 {"rate of a channel's link to the host; grade: that of hbf.grade",
                  "after OCP HBF 0.7.0, which also prints 94 and 188 GB/s"});
  set.integer_or("write_rate", hbf.write_rate_set, {1, 1'000'000}, "grade", kOfGrade, "MB/s",
                 {"rate of a channel's link to the device; grade: that of hbf.grade",
                  "after OCP HBF 0.7.0, which also prints 94 and 188 GB/s"});
  set.time("read_latency", hbf.read_latency,
           {"time from the end of a message on the link to its arrival at the host", "assumed"});
  set.time("write_latency", hbf.write_latency,
           {"time from the end of a message on the link to its arrival at the device", "assumed"});
  set.size("header", hbf.header, {0, 256},
           {"bytes that a command takes on the link to the device; 0B: none", "HBFSim: 64 bytes"});
  set.size("read_granularity", hbf.read_granularity, {64, 4096},
           {"unit in which reads return data", "after OCP HBF 0.7.0: steps of 64 bytes"});
}

void declare_reads(ParameterSet& set, HbfParameters& hbf) {
  set.integer("dies", hbf.dies, {1, 16}, "dies",
              {"dies of a channel, each with a bus; replaces the geometry of nvdimm.nand",
               "the specification is ambiguous: 1 x 16, 4 x 16 or 16 x 16 banks a channel"});
  set.integer("banks", hbf.banks, {1, 16}, "banks",
              {"banks of a die that sense and program independently; replaces the geometry of "
               "nvdimm.nand",
               kSpecification});
  set.integer(
      "cache_pages", hbf.cache_pages, {0, 16}, "pages",
      {"pages that a bank keeps after they were sensed, the least recently used one leaves; "
       "0: each read senses its page",
       kSpecification});
  set.boolean("merge", hbf.merge,
              {"a read of a page that is being sensed waits for it instead of sensing it again; "
               "needs a page cache",
               "64 commands for a page in OCP HBF 0.7.0 imply it; HBFSim: false"});
  set.time(
      "ecc_read", hbf.ecc_read,
      {"error correction of a sensed page, after its transfer; pages overlap", "assumed, HBFSim"});
  set.integer_or("refresh_reads", hbf.refresh_reads, {1, 1'000'000'000}, "off", kNoLimitOfReads,
                 "reads",
                 {"senses of a block from which on its reads report that a refresh is due",
                  "assumed: product-specific in OCP HBF 0.7.0"});
}

void declare_writes(ParameterSet& set, HbfParameters& hbf) {
  set.integer(
      "pending_writes", hbf.pending_writes, {1, 1024}, "pages",
      {"pages of a channel whose writes have been sent and not answered; ftl: host: also the "
       "host's buffers of pages that are written in parts",
       kSpecification});
  set.time("accumulate", hbf.accumulate,
           {"longest time from the first part of a page to its last one; ftl: raw: the parts of a "
            "page that is late end with a status; host: the host reads the rest of the page and "
            "writes it",
            "assumed, HBFSim: 1 ms"});
  set.time("ecc_write", hbf.ecc_write,
           {"error coding of a page before it is programmed; pages overlap", "assumed, HBFSim"});
  set.time("write_period", hbf.write_period,
           {"the host begins to write pages only in the first hbf.write_phase of each such period; "
            "0s: at any time",
            "ours: reads that come in batches wait for few writes"});
  set.time("write_phase", hbf.write_phase,
           {"part of hbf.write_period in which the host begins to write pages", "ours"});
  set.boolean("erased_at_start", hbf.erased_at_start,
              {"blocks are erased at time 0, so that the first program of page 0 does not erase",
               "assumed"});
  set.choice("ftl", hbf.ftl, {{"raw", HbfMapping::raw}, {"host", HbfMapping::host}},
             {"raw: addresses are physical, and the sender writes the pages of a block in order; "
              "host: the host maps pages and collects, with nvdimm.ftl and nvdimm.gc, by ordinary "
              "requests",
              kSpecification});
  set.choice("map_in", hbf.map_in, {{"none", HbfMap::none}, {"hbm", HbfMap::hbm}},
             {"ftl: host: none: the map takes no time; hbm: a line of HBM is read before each read "
              "and written after each write",
              "assumed"});
  set.integer(
      "streams", hbf.streams, {1, 64}, "streams",
      {"ftl: host: sets of open blocks for users' pages. A write's stream modulo this number "
       "selects its set, so that data that are discarded together share blocks",
       "after streams of NVMe"});
  set.name_of("refresh", hbf.refresh, policy_names(PolicyKind::refresh_pacer),
              {"ftl: host: policy that decides when blocks are rewritten", ""});
  set.time("refresh_every", hbf.refresh_every,
           {"ftl: host: age before which a block must be rewritten",
            "after OCP HBF 0.7.0: 24 to 48 hours"},
           48 * kHour);
  set.integer("copies", hbf.copies, {1, 64}, "pages",
              {"ftl: host: pages of a block that the collector copies at once", "assumed"});
}

}  // namespace

void HbfParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "hbf");
  declare_link(set, *this);
  declare_reads(set, *this);
  declare_writes(set, *this);
}

std::int64_t HbfParameters::rate(std::int64_t set) const {
  constexpr std::int64_t kFirstGrade = 48'000;  // MB/s; doubles with each grade
  return (set == kOfGrade ? kFirstGrade << (grade - 1) : set) * kMegabyte;
}

void HbfParameters::resolve_outstanding() {
  constexpr std::int64_t kLeast = 256;  // of the specification
  constexpr std::int64_t kOfBank = 16;
  if (outstanding == kOfBanks) {
    outstanding = std::max(kLeast, kOfBank * banks_of_channel());
  }
}

void HbfParameters::shape(NandParameters& nand) const {
  nand.channels = dies;
  nand.chips = 1;
  nand.dies = banks;
  nand.ecc_time = ecc_read;
}

}  // namespace hmsim
