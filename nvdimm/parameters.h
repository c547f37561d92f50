// SPDX-License-Identifier: BSD-3-Clause
// The parameters of one NVDIMM.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/buffer/buffer_parameters.h"
#include "nvdimm/ftl/ftl_parameters.h"
#include "nvdimm/hbf/hbf_parameters.h"
#include "nvdimm/media/media_parameters.h"
#include "nvdimm/module/module_parameters.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

// ready: a command's ack follows as soon as it is ready. command: acks follow in order of commands.
enum class AckOrder : std::uint8_t { ready, command };
enum class PreconditionPattern : std::uint8_t { uniform, sequential, zipf };
enum class PreconditionBuffer : std::uint8_t { none, dirty, resident, captured, resident_dirty };

struct PreconditionParameters {
  double fill = 0;
  double overwrite = 0;
  PreconditionPattern pattern = PreconditionPattern::uniform;
  PreconditionBuffer buffer = PreconditionBuffer::none;
  double resident = 1;
  double dirty = 1;
  std::string load;  // a file
  // Not a user parameter. Called now and then with the number of logical pages written since the
  // last call; an exception that it throws ends the writing.
  std::function<void(std::uint64_t pages)> report;

  // Return whether the buffer starts with pages that agents will read, or with dirty pages.
  bool starts_resident() const {
    return buffer == PreconditionBuffer::resident || buffer == PreconditionBuffer::resident_dirty;
  }
  bool starts_dirty() const {
    return buffer == PreconditionBuffer::dirty || buffer == PreconditionBuffer::resident_dirty;
  }
};

struct NvdimmParameters : ModuleParameters {
  NvdimmParameters() { nand.suspend = SuspendMode::program; }

  bool present = true;
  UnmappedRead unmapped_read = UnmappedRead::flash;
  AckOrder ack_order = AckOrder::ready;
  BufferParameters buffer;
  FtlParameters ftl;
  NandParameters nand;
  GcParameters gc;
  PreconditionParameters precondition;
  MediaParameters media;
  HbfParameters hbf;

  // Binds all fields under "nvdimm." except hbf and those from other parts of the configuration.
  // The struct must outlive the set.
  void declare(ParameterSet& set);
  // Bind the size and the flash fields alone. The caller's set determines the names.
  void declare_size(ParameterSet& set);
  void declare_flash(ParameterSet& set);

  // Returns whether an FTL maps its pages, its own or the host's (hbf.ftl: host).
  bool has_ftl() const {
    return kind == NvdimmKind::flash || (kind == NvdimmKind::hbf && hbf.ftl == HbfMapping::host);
  }

  // Returns the inconsistencies. An NVDIMM may be built only from parameters without errors.
  std::vector<ParameterError> check() const;

  std::int64_t luns() const { return nand.luns(); }
};

// Appends the errors of parameters whose kind is flash.
void check_flash(const NvdimmParameters& parameters, std::vector<ParameterError>& errors);

}  // namespace hmsim
