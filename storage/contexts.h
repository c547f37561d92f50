// SPDX-License-Identifier: BSD-3-Clause
// Hardware contexts of a client that runs the software of its requests on its own contexts.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "storage/request.h"

namespace hmsim {

class Contexts {
 public:
  // Requests a context for the host's request `io`. Returns true if it has one now. Otherwise it
  // waits, and the owner calls Host::granted() later.
  virtual bool acquire(std::uint32_t io, const IoRequest& request, Tick now) = 0;
  // Releases the context of request `io`.
  virtual void release(std::uint32_t io, Tick now) = 0;

 protected:
  ~Contexts() = default;
};

}  // namespace hmsim
