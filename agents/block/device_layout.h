// SPDX-License-Identifier: BSD-3-Clause
// Placement of block devices' sectors on the NVDIMM.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Layout of devices: byte b of device v is at (v x stride + offset + b) modulo the capacity.
class DeviceLayout {
 public:
  // Part of the NVDIMM that a request touches. Lines wrap around from the capacity's end to its
  // start.
  struct Extent {
    std::uint64_t first_line = 0;
    std::uint64_t lines = 0;
    std::int64_t pages = 0;  // pages touched, whole or in part
    bool wraps = false;      // the request is beyond the capacity's end, or wraps around
  };

  DeviceLayout() = default;
  // The capacity is rounded down to whole pages. A stride of 0 means a sixteenth of it. `offset` is
  // the first byte of device 0.
  DeviceLayout(Bytes capacity, Bytes stride, std::uint64_t offset) : offset_(offset) {
    const Bytes pages = capacity - capacity % kPageBytes;
    const Bytes sixteenth = pages / 16 - (pages / 16) % kPageBytes;
    capacity_ = static_cast<std::uint64_t>(pages.value());
    stride_ = static_cast<std::uint64_t>((stride == Bytes(0) ? sixteenth : stride).value());
    stride_ %= capacity_;
  }

  Bytes capacity() const { return Bytes(static_cast<std::int64_t>(capacity_)); }
  std::uint64_t lines() const { return capacity_ / static_cast<std::uint64_t>(kLineBytes.value()); }

  Extent extent(const BlockRequest& request) const {
    const std::uint64_t base = (request.device % kDevices * stride_ + offset_) % capacity_;
    const std::uint64_t capacity_sectors = capacity_ / kSectorBytes;
    const std::uint64_t first = base / kSectorBytes + request.sector % capacity_sectors;
    const std::uint64_t pages =
        (first % kSectorsPerPage + request.sectors + kSectorsPerPage - 1) / kSectorsPerPage;
    return {first % capacity_sectors * kLinesPerSector, request.sectors * kLinesPerSector,
            static_cast<std::int64_t>(pages),
            request.sector >= capacity_sectors || first + request.sectors > capacity_sectors};
  }

 private:
  static constexpr std::uint64_t kSectorsPerPage = 8;
  static constexpr std::uint64_t kLinesPerSector = 8;
  static constexpr std::uint64_t kDevices = 65'536;  // device numbers are taken modulo this
  static_assert(kSectorsPerPage * kSectorBytes == kPageBytes.value());
  static_assert(kLinesPerSector * kLineBytes.value() == kSectorBytes);

  std::uint64_t capacity_ = 0;  // bytes
  std::uint64_t stride_ = 0;    // bytes, modulo the capacity
  std::uint64_t offset_ = 0;    // bytes
};

}  // namespace hmsim
