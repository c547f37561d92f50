// SPDX-License-Identifier: BSD-3-Clause
// Storage of a configuration: a device, the software over it and, for a page cache moved by lines,
// the second level in NVDIMMs.
#pragma once

#include <cstdint>
#include <memory>

#include "core/kernel.h"
#include "core/request.h"
#include "storage/host.h"
#include "storage/nvdimm_device.h"
#include "storage/parameters.h"

namespace hmsim {

class SharedStorage {
 public:
  // Makes and attaches the storage; requires parameters.present(). `memory` outlives it.
  // `requester`: index of second_level() among the memory's requesters.
  SharedStorage(const StorageParameters& parameters, MemoryPort& memory, Kernel& kernel,
                std::uint64_t seed, const Assignments& assignments, std::size_t requester);

  Host& host() { return *host_; }
  const StorageDevice& device() const { return *device_; }
  Requester* second_level() { return second_level_.get(); }  // or nullptr

 private:
  std::unique_ptr<NvdimmDevice> second_level_;
  std::unique_ptr<StorageDevice> device_;
  std::unique_ptr<Host> host_;
};

}  // namespace hmsim
