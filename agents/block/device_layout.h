// SPDX-License-Identifier: BSD-3-Clause
// Where the sectors of block devices lie on the NVDIMM.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Byte b of device v lies at (v x stride + offset + b) modulo the capacity.
class DeviceLayout {
 public:
  // The part of the NVDIMM that a request touches. Lines run on from the capacity's end to its
  // start.
  struct Extent {
    std::uint64_t first_line = 0;
    std::uint64_t lines = 0;
    std::int64_t pages = 0;  // whole or in part
    bool wraps = false;      // the request lies past the capacity's end, or runs over it
  };

  DeviceLayout() = default;
  // The capacity counts in whole pages. A stride of 0 is a sixteenth of it. `offset` is where the
  // first device begins, in bytes.
  DeviceLayout(Bytes capacity, Bytes stride, std::uint64_t offset);

  Bytes capacity() const { return Bytes(static_cast<std::int64_t>(capacity_)); }
  std::uint64_t lines() const { return capacity_ / static_cast<std::uint64_t>(kLineBytes.value()); }
  Extent extent(const BlockRequest& request) const;

 private:
  std::uint64_t capacity_ = 0;  // bytes
  std::uint64_t stride_ = 0;    // bytes, modulo the capacity
  std::uint64_t offset_ = 0;    // bytes
};

}  // namespace hmsim
