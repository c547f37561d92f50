// SPDX-License-Identifier: BSD-3-Clause
// The hardware contexts on which software runs for requests of a client that has some of its own.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "storage/request.h"

namespace hmsim {

class Contexts {
 public:
  // The host's request `io` needs one. True: it has it; otherwise it waits, and Host::granted()
  // tells when it has.
  virtual bool take(std::uint32_t io, const IoRequest& request, Tick now) = 0;
  // It needs it no longer.
  virtual void give(std::uint32_t io, Tick now) = 0;

 protected:
  ~Contexts() = default;
};

}  // namespace hmsim
