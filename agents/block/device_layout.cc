// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/device_layout.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kSectorsPerPage = 8;
constexpr std::uint64_t kLinesPerSector = 8;
constexpr std::uint64_t kDevices = 65'536;  // device numbers are taken modulo this
static_assert(kSectorsPerPage * kSectorBytes == kPageBytes.value());
static_assert(kLinesPerSector * kLineBytes.value() == kSectorBytes);

}  // namespace

DeviceLayout::DeviceLayout(Bytes capacity, Bytes stride, std::uint64_t offset) : offset_(offset) {
  const Bytes pages = capacity - capacity % kPageBytes;
  const Bytes sixteenth = pages / 16 - (pages / 16) % kPageBytes;
  capacity_ = static_cast<std::uint64_t>(pages.value());
  stride_ = static_cast<std::uint64_t>((stride == Bytes(0) ? sixteenth : stride).value());
  stride_ %= capacity_;
}

DeviceLayout::Extent DeviceLayout::extent(const BlockRequest& request) const {
  const std::uint64_t base = (request.device % kDevices * stride_ + offset_) % capacity_;
  const std::uint64_t capacity_sectors = capacity_ / kSectorBytes;
  const std::uint64_t first = base / kSectorBytes + request.sector % capacity_sectors;
  const std::uint64_t pages =
      (first % kSectorsPerPage + request.sectors + kSectorsPerPage - 1) / kSectorsPerPage;
  return {first % capacity_sectors * kLinesPerSector, request.sectors * kLinesPerSector,
          static_cast<std::int64_t>(pages),
          request.sector >= capacity_sectors || first + request.sectors > capacity_sectors};
}

}  // namespace hmsim
