// SPDX-License-Identifier: BSD-3-Clause
// NVDIMM as a storage device, with the software over it.
#pragma once

#include "storage/host.h"
#include "storage/nvdimm_device.h"

namespace hmsim {

// The caller connects the device to its port, and attaches the host to the kernel, if any.
struct NvdimmHost {
  explicit NvdimmHost(const NvdimmIo& io)
      : of_block_agent(io.of_block_agent), device(io.device), host(io.path, device) {
    device.attach(host);
  }
  NvdimmHost(const NvdimmHost&) = delete;
  NvdimmHost& operator=(const NvdimmHost&) = delete;

  const bool of_block_agent;
  NvdimmDevice device;
  Host host;
};

}  // namespace hmsim
