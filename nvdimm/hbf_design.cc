// SPDX-License-Identifier: BSD-3-Clause
// The kind of NVDIMM of nvdimm.attach: hbf. Its modules are built by its channel
// (controller/hbf/hbf_channel.h).
#include <string>

#include "core/errors.h"
#include "core/units.h"
#include "nvdimm/design.h"
#include "nvdimm/flash_shape.h"

namespace hmsim {

namespace {

void check(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  const HbfParameters& hbf = parameters.hbf;
  const auto need = [&errors](bool holds, const char* name, const std::string& message) {
    if (!holds) {
      errors.push_back({name, message});
    }
  };
  need(
      hbf.read_granularity % Bytes(64) == Bytes(0) && kPageBytes % hbf.read_granularity == Bytes(0),
      "hbf.read_granularity",
      "must be a power of two from 64B to 4KiB, got " + format_size(hbf.read_granularity));
  need(hbf.write_period == Tick(0) ||
           (hbf.write_phase > Tick(0) && hbf.write_phase <= hbf.write_period),
       "hbf.write_phase", "must be more than 0s, and at most hbf.write_period");
  need(hbf.refresh_every > Tick(0), "hbf.refresh_every", "must be more than 0s; for example 24h");
  need(hbf.accumulate > Tick(0), "hbf.accumulate", "must be more than 0s; for example 1ms");
  parameters.nand.check(errors);
  need(parameters.nand.page_size == kPageBytes, "nvdimm.nand.page_size",
       "must be 4KiB with nvdimm.attach: hbf; nvdimm.nand.preset: hbf_256 sets it");
  need(parameters.nand.planes == 1, "nvdimm.nand.planes",
       "must be 1 with nvdimm.attach: hbf, whose unit is the bank; nvdimm.nand.preset: hbf_256 "
       "sets it");
  need(parameters.nand.suspend == SuspendMode::none, "nvdimm.nand.suspend",
       "must be none with nvdimm.attach: hbf, whose banks keep the order of their operations; "
       "nvdimm.nand.preset: hbf_256 sets it");
  need(parameters.has_ftl() || parameters.precondition.fill == 0, "nvdimm.precondition.fill",
       "must be 0 with hbf.ftl: raw, which has no map; for programmed pages, set "
       "hbf.erased_at_start: false");
  need(parameters.has_ftl() || parameters.hbf.map_in == HbfMap::none, "hbf.map_in",
       "must be none with hbf.ftl: raw, which has no map; otherwise set hbf.ftl: host");
  need(parameters.has_ftl() || parameters.hbf.streams == 1, "hbf.streams",
       "must be 1 with hbf.ftl: raw, whose sender selects blocks; otherwise set hbf.ftl: host");
  need(parameters.hbf.streams == 1 ||
           (parameters.ftl.placement == "single" && !parameters.ftl.make_placement),
       "hbf.streams",
       "must be 1 with nvdimm.ftl.placement, whose streams nvdimm.ftl.streams gives; for handles "
       "alone, set nvdimm.ftl.placement: single");
  need(parameters.has_ftl() || parameters.hbf.refresh == "no_refresh", "hbf.refresh",
       "must be no_refresh with hbf.ftl: raw, whose sender rewrites blocks; otherwise set hbf.ftl: "
       "host");
  need(parameters.precondition.buffer == PreconditionBuffer::none, "nvdimm.precondition.buffer",
       "must be 'none' with nvdimm.attach: hbf, which has no synchronisation buffer");
  need(parameters.has_ftl() || parameters.precondition.load.empty(), "nvdimm.precondition.load",
       "must be empty with hbf.ftl: raw, which has no map; otherwise set hbf.ftl: host");
  if (!check_capacity(parameters.capacity, parameters.nand, errors, "hbf.{dies,banks}") ||
      !parameters.has_ftl()) {
    return;
  }
  parameters.ftl.check(errors);
  need(parameters.gc.scheduler != "reactive_copyback", "nvdimm.gc.scheduler",
       "'reactive_copyback' copies inside the device, which HBF cannot: set reactive");
  need(parameters.ftl.map == MapPlace::full, "nvdimm.ftl.map",
       "must be full with hbf.ftl: host; hbf.map_in: hbm puts the map into HBM");
  check_shape(parameters.ftl, parameters.gc, parameters.nand, ftl_demands(parameters), errors);
}

Bytes capacity(const NvdimmParameters& parameters) {
  return parameters.has_ftl()
             ? static_cast<std::int64_t>(ftl_shape(parameters).logical_pages) * kPageBytes
             : parameters.capacity;
}

std::int64_t banks(const NvdimmParameters& parameters) { return parameters.hbf.banks_of_channel(); }

Tick hit_delay(const NvdimmParameters& /*parameters*/) { return Tick(0); }

Tick miss_delay(const NvdimmParameters& parameters) { return parameters.nand.read_time; }

std::unique_ptr<NvdimmModule> make(const NvdimmParameters& /*parameters*/, AckListener& /*host*/,
                                   std::uint64_t /*seed*/, const Assignments& /*assignments*/) {
  raise_fault("hbf", Tick(0), -1, "a module on the memory bus");
}

// Its channel registers them.
void register_statistics(StatisticRegistry& /*registry*/, const NvdimmModules& /*modules*/) {}

}  // namespace

const NvdimmDesign kHbfDesign{check, capacity,           banks, hit_delay, miss_delay,
                              make,  register_statistics};

}  // namespace hmsim
