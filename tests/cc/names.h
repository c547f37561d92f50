// SPDX-License-Identifier: BSD-3-Clause
// Expects of a message what its reader relies on, not its sentence.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hmsim::testing {

// Whether `message` holds each part, in any order: its place (file, line, key), and the values that
// are given or allowed.
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
