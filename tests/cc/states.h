// SPDX-License-Identifier: BSD-3-Clause
// Saved states of objects.
#pragma once

#include <string>

#include "core/archive.h"

namespace hmsim::testing {

template <class Object>
std::string state_of(Object& object) {
  Archive archive;
  object.serialize(archive);
  return archive.bytes();
}

// Saves the state of an object, and loads it into another.
template <class From, class To>
void copy_state(From& from, To& to) {
  Archive archive(state_of(from));
  to.serialize(archive);
}

}  // namespace hmsim::testing
