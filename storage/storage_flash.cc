// SPDX-License-Identifier: BSD-3-Clause
// Descriptor and parameters of kind flash: an SSD or a flash card.
#include <string>
#include <string_view>
#include <utility>

#include "nvdimm/design.h"
#include "policies/page_placement.h"
#include "storage/design.h"
#include "storage/flash_device.h"
#include "storage/server.h"

namespace hmsim {

namespace {

// Replaces the names of NVDIMM parameters in the module's error messages.
std::string renamed(std::string text) {
  constexpr std::string_view kOld = "nvdimm.";
  constexpr std::string_view kNew = "storage.flash.";
  for (std::size_t at = text.find(kOld); at != std::string::npos;
       at = text.find(kOld, at + kNew.size())) {
    text.replace(at, kOld.size(), kNew);
  }
  return text;
}

}  // namespace

// Sets smaller buffers than those of an NVDIMM, as is usual for an SSD. Its flash works on demand
// and does not suspend operations.
FlashParameters::FlashParameters() {
  inside.buffer.read_size = Bytes(16LL << 20);
  inside.buffer.write_size = Bytes(16LL << 20);
  inside.buffer.manager = "on_demand";
  inside.nand.suspend = SuspendMode::none;
}

void FlashParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "flash");
  constexpr const char* kDriver = "fitted to the rates in Caulfield et al., MICRO 2010";
  for (const auto& [name, driver] :
       {std::pair("read_driver", &read_driver), {"write_driver", &write_driver}}) {
    const ParameterSet::Scope direction(set, name);
    set.time("request", driver->request,
             {"time of the host's driver per request, one request at a time", kDriver});
    set.time("kib", driver->kib, {"additional time of the driver per KiB", kDriver});
  }
  set.integer("queue_depth", queue_depth, {1, 65536}, "requests",
              {"requests that the device processes at a time; others wait", "SATA 2 (NCQ): 32"});
  set.integer(
      "pages", pages, {1, 1024}, "pages",
      {"4 KiB pages of these requests that the buffer and flash process at a time", "assumed"});
  set.time("command", command,
           {"time from the driver to the device's first move: the link, the device's controller",
            "assumed"});
  set.boolean("duplex", duplex, {"whether the link moves data both ways at once", "SATA: no"});
  set.time("to_host", to_host, {"time of a KiB on the link, read", "SATA 2: 300 MB/s"});
  set.time("from_host", from_host, {"time of a KiB on the link, written", "SATA 2: 300 MB/s"});
  inside.declare_size(set);
  inside.declare_flash(set);
}

NvdimmParameters FlashParameters::module() const {
  NvdimmParameters module = inside;
  module.command_queue = pages * kLinesPerPage;
  // Policies compare flash time with the time to move data out of the module. Here that is the
  // link, which moves one page per line that a read commands.
  module.line_burst =
      later(time_of(static_cast<std::uint64_t>(kPageBytes.value()), to_host), Tick(1));
  return module;
}

std::vector<ParameterError> FlashParameters::check(Bytes capacity) const {
  std::vector<ParameterError> errors;
  const std::string prefix = "storage.flash.";
  for (const ParameterError& error : module().check()) {
    errors.push_back({renamed(error.name), renamed(error.message)});
  }
  if (!inside.precondition.load.empty()) {
    errors.push_back(
        {prefix + "precondition.load", "is for an NVDIMM only: set .fill and .overwrite instead"});
  }
  if (inside.precondition.starts_resident() ||
      inside.precondition.buffer == PreconditionBuffer::captured) {
    errors.push_back(
        {prefix + "precondition.buffer",
         "must be 'none' or 'dirty': 'resident' and 'captured' are for an NVDIMM only"});
  }
  if (inside.precondition.resident != 1) {
    errors.push_back({prefix + "precondition.resident", "is for an NVDIMM only: must be 1"});
  }
  if (inside.buffer.granularity == BufferGranularity::item) {
    errors.push_back(
        {prefix + "buffer.granularity", "must be 'page': 'item' is for an NVDIMM only"});
  }
  if (errors.empty()) {
    const Bytes logical = design_of(NvdimmKind::flash).logical_capacity(module());
    if (capacity > logical) {
      errors.push_back({"storage.capacity", format_size(capacity) + " exceeds the device's " +
                                                format_size(logical) +
                                                ", the logical part of storage.flash.capacity"});
    }
  }
  return errors;
}

namespace {

class FlashDesign final : public PlainDesign<FlashParameters, FlashDevice> {
 public:
  void set_makers(const PolicyMakers& makers) override {
    parameters_.inside.ftl.set_makers(makers, "storage.flash");
  }
};

}  // namespace

extern const StorageDescriptor kStorage_flash;
const StorageDescriptor kStorage_flash{
    "flash", "driver, queue and link, then flash with an FTL, storage.flash: SSDs, flash cards",
    make_storage_design<FlashDesign>};

}  // namespace hmsim
