// SPDX-License-Identifier: BSD-3-Clause
// Checks of the facts in a message, independent of its wording.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace hmsim::testing
