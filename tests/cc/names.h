// SPDX-License-Identifier: BSD-3-Clause
// Messages of errors, and checks of their facts, independent of the wording.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.h"

namespace hmsim::testing {

// Returns whether `message` contains each part, in any order: its place (file, line, key), and the
// given or allowed values.
inline ::testing::AssertionResult names(const std::string& message,
                                        const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos) {
      return ::testing::AssertionFailure() << "no \"" << part << "\" in \"" << message << '"';
    }
  }
  return ::testing::AssertionSuccess();
}

// Returns the message of the InputError that `action` throws, or "" without one.
template <class Action>
std::string error_from(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace hmsim::testing
