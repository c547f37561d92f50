// SPDX-License-Identifier: BSD-3-Clause
// Calls into hmsim's core, which does not depend on gem5. Converts its errors to gem5's.
#ifndef HMSIM_GEM5_EXT_GUARDED_HH
#define HMSIM_GEM5_EXT_GUARDED_HH

#include <string>

#include "base/logging.hh"
#include "core/errors.h"

namespace gem5 {
namespace memory {

// `name` is the object or file named in errors.
template <class Call>
auto guarded(const std::string& name, Call call) {
  try {
    return call();
  } catch (const hmsim::InputError& error) {
    fatal("%s: %s", name, error.what());
  } catch (const hmsim::Fault& fault) {
    panic("%s: %s", name, fault.what());
  }
}

}  // namespace memory
}  // namespace gem5

#endif
