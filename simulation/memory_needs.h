// SPDX-License-Identifier: BSD-3-Clause
// How much memory of the host a configuration asks for, and by which key.
#pragma once

#include <new>
#include <string>
#include <vector>

#include "core/types.h"
#include "simulation/configuration.h"

namespace hmsim {

// The host gives no more memory. what() names the key that asks for most.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

struct MemoryNeed {
  std::string key;
  std::string value;  // as a user writes it
  Bytes most{0};      // of host memory, once all of it is in use
};

// The needs that grow with a parameter, in no order. Estimates: what a page or a frame takes was
// measured as growth of the process.
std::vector<MemoryNeed> memory_needs(const Configuration& configuration);

// Describes the largest need, in one line.
std::string describe_shortage(const std::vector<MemoryNeed>& needs);

}  // namespace hmsim
