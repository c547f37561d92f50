// SPDX-License-Identifier: BSD-3-Clause
// The two errors that end a simulation early: InputError (the user's fault) and Fault (a bug in the
// simulator).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace hmsim {

// Error in the user's input. what() names the place ("file:line: ...") if it is known.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(const std::string& file, std::int64_t line, const std::string& message)
      : std::runtime_error(file + ":" + std::to_string(line) + ": " + message) {}
};

// Broken invariant: a bug in the simulator. The host decides how to report it. Python raises an
// exception and exits with status 1; gem5 panics.
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

// Returns the text in single quotes, for messages. Does not insert into a temporary string: for "'"
// + string(...), gcc 12 reports -Wstringop-overflow as C++20 (gcc bug 105651), and gem5 compiles
// with -Werror.
std::string in_quotes(std::string_view text);

// Returns the candidate most likely meant by `name`, or "" if none is similar. Candidates rank in
// this order; ties go to the smaller edit distance:
//   1. same letters, ignoring case and separators; or `name` ends in "Xs" and the candidate is
//      "X.count"
//   2. same first and last part
//   3. edit distance of at most 2, or a third of the length of `name`
//   4. candidate ends with `name`
//   5. same last part
//   6. a common word of four letters or more in the last part
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);
// Returns the end of a message about an unknown name: "; did you mean 'NEAREST'?", or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// Returns the `count` candidates nearest to `name`, nearest first. Returns none if `name` is longer
// than 256 characters, because the edit distance costs |name| x |candidate|.
std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count);

}  // namespace hmsim
