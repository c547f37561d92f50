// SPDX-License-Identifier: BSD-3-Clause
// Parameters of block I/O on the NVDIMM.
#pragma once

#include <cstdint>

#include "core/parameters.h"
#include "core/types.h"
#include "storage/nvdimm_driver.h"

namespace hmsim {

// Threads that do block I/O, and how they access the NVDIMM.
struct BlockParameters {
  std::int64_t threads = 4;
  std::int64_t window = 10;  // accesses outstanding per thread
  Fence fence = Fence::block;
  NvdimmDriverKind driver = NvdimmDriverKind::nd_pmem;  // preset for the fields that follow
  NvdimmDriver how = driver_of(NvdimmDriverKind::nd_pmem);
  Tick request_time = io_driver_of(how.software).read.entry;
  Tick software_time = io_driver_of(how.software).page_time;

  void declare(ParameterSet& parameters);
  // Returns the I/O settings for a hardware context. Software runs on `contexts` contexts.
  NvdimmIo nvdimm_io(std::int64_t source, std::int64_t contexts) const;
  // Returns those for requests of all threads, which pass the file system of `path`.
  NvdimmIo nvdimm_io(const PathParameters& path) const;
};

}  // namespace hmsim
