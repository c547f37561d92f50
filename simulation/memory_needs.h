// SPDX-License-Identifier: BSD-3-Clause
// Host memory that a configuration needs, by key.
#pragma once

#include <new>
#include <string>
#include <vector>

#include "core/types.h"
#include "simulation/configuration.h"

namespace hmsim {

// Thrown when the host has no more memory. what() names the key with the largest need.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

struct MemoryNeed {
  std::string key;
  std::string value;  // in the notation of users
  Bytes most{0};      // of host memory when fully used
};

// Returns the needs that grow with a parameter, in unspecified order. Estimates: the memory per
// page and per frame was measured as growth of the process.
std::vector<MemoryNeed> memory_needs(const Configuration& configuration);

// Describes the largest need in one line.
std::string describe_shortage(const std::vector<MemoryNeed>& needs);

}  // namespace hmsim
