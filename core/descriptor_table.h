// SPDX-License-Identifier: BSD-3-Clause
// Table of descriptors: the plug-ins of one kind, sorted by name. Each plug-in defines its
// descriptor in its own file; the build generates the table from the file names
// (tools/descriptor_tables.py).
#pragma once

#include <cstddef>

namespace hmsim {

template <class Descriptor>
class DescriptorTable {
 public:
  constexpr DescriptorTable(const Descriptor* const* first, std::size_t size)
      : first_(first), size_(size) {}

  const Descriptor* const* begin() const { return first_; }
  const Descriptor* const* end() const { return first_ + size_; }
  std::size_t size() const { return size_; }
  const Descriptor& operator[](std::size_t index) const { return *first_[index]; }

 private:
  const Descriptor* const* first_;
  std::size_t size_;
};

}  // namespace hmsim
