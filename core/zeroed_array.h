// SPDX-License-Identifier: BSD-3-Clause
// Large zero-initialised array that occupies memory only where it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "core/archive.h"

namespace hmsim {

// All bytes of the elements are zero at first, whatever the default member initialisers of `T`.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>, "elements are created from zero bytes");

 public:
  explicit ZeroedArray(std::size_t size) : size_(size), values_(allocate(size)) {}

  std::size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T* begin() { return data(); }
  const T* begin() const { return data(); }
  T* end() { return data() + size_; }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }

  // Saves what Archive::fixed() saves of a vector. Loading writes only elements that change.
  void serialize(Archive& archive) {
    std::uint64_t count = size_;
    archive(count);
    archive.check(count == size_, "it belongs to a system of another size");
    for (T& value : *this) {
      T saved = value;
      archive(saved);
      if (saved != value) {
        value = saved;
      }
    }
  }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };

  static T* allocate(std::size_t size) {
    // Unlike a value-initialised vector, calloc returns untouched pages of the operating system.
    void* memory = std::calloc(size, sizeof(T));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<T*>(memory);
  }

  std::size_t size_;
  std::unique_ptr<T, Free> values_;
};

}  // namespace hmsim
