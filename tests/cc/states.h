// SPDX-License-Identifier: BSD-3-Clause
// Saved states of objects.
#pragma once

#include "core/archive.h"

namespace hmsim::testing {

// Saves the state of an object, and loads it into another.
template <class From, class To>
void copy_state(From& from, To& to) {
  Archive saved;
  from.serialize(saved);
  Archive loaded(saved.bytes());
  to.serialize(loaded);
}

}  // namespace hmsim::testing
