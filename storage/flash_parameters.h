// SPDX-License-Identifier: BSD-3-Clause
// Parameters of an SSD or a flash card.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/parameters.h"

namespace hmsim {

struct FlashParameters {
  // Time of the host's driver per request and per KiB. The driver handles one request at a time.
  struct Driver {
    Tick request{0};
    Tick kib{0};
  };
  Driver read_driver;
  Driver write_driver;

  std::int64_t queue_depth = 32;
  std::int64_t pages = 256;
  Tick command = 5 * kMicrosecond;
  bool duplex = false;
  Tick to_host{3'413'333};    // per KiB
  Tick from_host{3'413'333};  // per KiB
  NvdimmParameters inside;    // the flash module: size, buffer, FTL, NAND

  FlashParameters();
  void declare(ParameterSet& set);  // under "storage.flash."
  std::vector<ParameterError> check(Bytes capacity) const;
  // Returns the parameters of the flash module.
  NvdimmParameters module() const;
};

}  // namespace hmsim
