// SPDX-License-Identifier: BSD-3-Clause
// The two ways a simulation ends early: the user's input is at fault, or the simulator is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace hmsim {

// The user's input is at fault. what() names the place ("file:line: ...") where it is known.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(const std::string& file, std::int64_t line, const std::string& message)
      : std::runtime_error(file + ":" + std::to_string(line) + ": " + message) {}
};

// A broken invariant: the simulator is at fault. The host decides what that means (Python: an
// exception and exit status 1; gem5: its own panic).
class Fault : public std::logic_error {
 public:
  Fault(std::string_view component, Tick now, std::int64_t request, std::string_view message);
};

[[noreturn]] void raise_fault(std::string_view component, Tick now, std::int64_t request,
                              std::string_view message);

inline void ensure(bool condition, std::string_view component, Tick now, std::int64_t request,
                   std::string_view message) {
  if (!condition) {
    raise_fault(component, now, request, message);
  }
}

// The candidate that is most likely meant by `name`, or "" when none is near: spelled alike but for
// case and what separates words, or the count of what the name's last part asks for in the plural;
// of the same first and last part; with at most a third of the letters different; that ends with
// it; of the same last part; with a word in common in its last part. Among alike ones the nearest
// by edit distance.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// The `count` candidates nearest to `name`, nearest first; none for a name of absurd length.
std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count);

}  // namespace hmsim
