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

// A rig whose serialize() handles all of its state.
template <class Rig>
class Saved {
 public:
  std::string save() { return state_of(static_cast<Rig&>(*this)); }
  void load(const std::string& bytes) {
    Archive archive(bytes);
    static_cast<Rig&>(*this).serialize(archive);
    archive.check(archive.at_end(), "there is more");
  }
};

}  // namespace hmsim::testing
