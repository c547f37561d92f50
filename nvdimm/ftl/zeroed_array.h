// SPDX-License-Identifier: BSD-3-Clause
// Large zero-initialised array that occupies memory only where it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace hmsim {

class ZeroedArray {
 public:
  explicit ZeroedArray(std::size_t size) : size_(size), values_(allocate(size)) {}

  std::size_t size() const { return size_; }
  std::uint32_t& operator[](std::size_t index) { return values_.get()[index]; }
  std::uint32_t operator[](std::size_t index) const { return values_.get()[index]; }

 private:
  struct Free {
    void operator()(std::uint32_t* values) const { std::free(values); }
  };

  static std::uint32_t* allocate(std::size_t size) {
    // Unlike a value-initialised vector, calloc returns untouched pages of the operating system.
    void* memory = std::calloc(size, sizeof(std::uint32_t));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<std::uint32_t*>(memory);
  }

  std::size_t size_;
  std::unique_ptr<std::uint32_t, Free> values_;
};

}  // namespace hmsim
