// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/parameters.h"

#include "core/preset_table.h"
#include "nvdimm/design.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/power.h"
#include "nvdimm/precondition.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr Tick kLongestFirmware = 100'000 * kMicrosecond;
constexpr const char* kTable3 = "the paper, Table III";

void declare_precondition(ParameterSet& set, PreconditionParameters& precondition) {
  const ParameterSet::Scope scope(set, "precondition");
  set.real("fill", precondition.fill, 0, 1, "of the logical pages",
           {"share of the logical pages written once, in order, before the simulation starts",
            "assumed"});
  set.real("overwrite", precondition.overwrite, 0, 100, "logical capacities",
           {"share of the filled pages overwritten after that", "assumed"});
  set.choice("pattern", precondition.pattern,
             {{"uniform", PreconditionPattern::uniform},
              {"sequential", PreconditionPattern::sequential},
              {"zipf", PreconditionPattern::zipf}},
             {"order of these overwrites; zipf: the n-th hottest page, at a random place, is "
              "written in proportion to 1/n",
              "assumed"});
  set.choice(
      "buffer", precondition.buffer,
      {{"none", PreconditionBuffer::none},
       {"dirty", PreconditionBuffer::dirty},
       {"resident", PreconditionBuffer::resident},
       {"captured", PreconditionBuffer::captured},
       {"resident_dirty", PreconditionBuffer::resident_dirty}},
      {"content of the synchronisation buffer at the start: none: empty; dirty: a write part full "
       "of dirty pages, the next ones of the pattern; resident: a read part with the pages that "
       "the agents will read, as many as fit: the best case; captured: a write part with the pages "
       "that captured jobs wrote last before they began, as far as their traces record them; "
       "resident_dirty: both parts",
       "assumed"});
  set.real(
      "resident", precondition.resident, 0, 1, "of the pages",
      {"share of the pages that the agents will read which starts in the buffer, if 'buffer' is "
       "resident or resident_dirty; a hash of seed and page chooses them: the same under every "
       "policy, and among those of any larger share",
       "assumed"});
  set.real("dirty", precondition.dirty, 0, 1, "of the write part",
           {"share of the write part that starts full of dirty pages, if 'buffer' is dirty or "
            "resident_dirty",
            "assumed"});
  set.text("load", precondition.load,
           {"replaces these writes: a file that 'hmsim precondition' wrote for the same NVDIMM "
            "or HBF, keys and seed; its path is relative to the working directory",
            ""});
}

void declare_firmware(ParameterSet& set, FirmwareParameters& firmware) {
  const ParameterSet::Scope scope(set, "firmware");
  const ParameterSet::PartData part(set);
  set.time("time", firmware.time,
           {"time that the NVDIMM's controller (firmware) adds to a flash page read for the host",
            "0: the paper's simulator. The paper, Table I: 150 us for a read, 80 us more than the "
            "flash; Samsung 970 PRO: 21.5 us (NVMeVirt's fit)"},
           kLongestFirmware);
  set.time("occupied", firmware.occupied,
           {"first part of it, during which the read holds one of the controller's lanes; 0s: "
            "reads overlap without limit",
            "modelled: no source divides it"},
           kLongestFirmware);
  set.integer("lanes", firmware.lanes, {1, 64}, "reads",
              {"page reads that the controller serves at once, in order of arrival", "assumed"});
}

void check_buffer(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  const PreconditionParameters& precondition = parameters.precondition;
  if (precondition.starts_dirty() &&
      filled_pages(precondition, ftl_shape(parameters).logical_pages) == 0) {
    errors.push_back({"nvdimm.precondition.buffer",
                      "'dirty' takes its pages from the filled ones, and there are none: set "
                      "nvdimm.precondition.fill, for example to 0.5"});
  }
}

}  // namespace

void NvdimmParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "nvdimm");
  set.boolean("present", present, {"whether the channel carries an NVDIMM", ""});
  declare_preset(
      set, "kind", kind, kNvdimmKinds,
      [this](const NvdimmKindEntry& row) { media.technology = row.technology; },
      {"storage medium: flash behind a buffer and an FTL, or byte-addressable cells, a preset of "
       "read_time, write_time, read_energy and write_energy; nvdimm.media applies only to these, "
       "and all keys except capacity, command_queue and power only to flash",
       "Caulfield et al., SC 2010"});
  declare_size(set);
  set.integer_or(
      "command_queue", command_queue, {1, 65536}, "auto", kAsHost, "entries",
      {"commands that may be unfinished in the NVDIMM; auto: as many as the host may send",
       "the paper, Table III: 4096"});
  set.choice("ack_order", ack_order, {{"ready", AckOrder::ready}, {"command", AckOrder::command}},
             {"order of acks: as soon as a command's data or room are in the buffer, or in the "
              "order in which the commands arrived, while flash serves all of them",
              "the paper leaves it open; command: Fig. 13a, \"after LBA1 has been finished, LBB1 "
              "will be scheduled\""});
  set.choice(
      "access", access,
      {{"auto", NvdimmAccess::automatic},
       {"line", NvdimmAccess::line},
       {"block", NvdimmAccess::block}},
      {"size of a command that a block driver sends to an NVDIMM of flash on the memory bus. "
       "line: 64 bytes; block: all lines of a page of 4 KiB that it copies, with one queue "
       "entry, one ack, and a data burst for each line; auto: block where possible, and line "
       "behind CXL, with controller.ack: nvdimm_p, with items as frames, or without flash. Loads "
       "and stores of programs, and files mapped into memory (dax), always use lines",
       "line: the paper; block: drivers of flash DIMMs of DDR3 (eXFlash, ULLtraDIMM) copy "
       "pages through a window; its protocol here is assumed (JESD304 is not public)"});
  declare_flash(set);
  power.declare(set);
  media.declare(set);
}

void NvdimmParameters::declare_size(ParameterSet& set) {
  set.size("capacity", capacity, {kMiB, 8 * kTiB},
           {"raw flash capacity; the logical one is less by the over-provisioning", kTable3});
  set.choice("unmapped_read", unmapped_read,
             {{"flash", UnmappedRead::flash}, {"zero", UnmappedRead::zero}},
             {"reads of never-written pages: read flash at their striped place, or answer at once "
              "without flash access",
              "assumed"});
}

void NvdimmParameters::declare_flash(ParameterSet& set) {
  buffer.declare(set);
  ftl.declare(set);
  nand.declare(set);
  declare_firmware(set, nand.firmware);
  gc.declare(set);
  declare_precondition(set, precondition);
}

std::vector<ParameterError> NvdimmParameters::check() const {
  std::vector<ParameterError> errors;
  design_of(kind).check(*this, errors);
  return errors;
}

void check_flash(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  parameters.ftl.check(errors);
  if (parameters.precondition.overwrite > 0 && parameters.precondition.fill == 0) {
    errors.push_back({"nvdimm.precondition.overwrite",
                      "must be 0 while nvdimm.precondition.fill is 0: no page is filled"});
  }
  parameters.nand.check(errors);
  parameters.buffer.check(parameters.nand, errors);
  const std::string lost = check_energy(parameters);
  if (!lost.empty()) {
    errors.push_back({"nvdimm.power.energy", lost});
  }
  if (is_page_size(parameters.nand.page_size) &&
      check_capacity(parameters.capacity, parameters.nand, errors)) {
    check_buffer(parameters, errors);
    check_shape(parameters.ftl, parameters.gc, parameters.nand, ftl_demands(parameters), errors);
  }
}

}  // namespace hmsim
