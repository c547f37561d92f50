// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/memory_needs.h"

#include <algorithm>

#include "core/units.h"

namespace hmsim {

namespace {

// Bytes per page of flash: the map in both directions and the state of blocks, with 7 % spare
// pages.
constexpr std::int64_t kBytesOfPage = 9;
constexpr std::int64_t kBytesOfHbfBlock = 40;  // state of a block in the device and at the host
constexpr std::int64_t kBytesOfFrame = 40;     // of a buffer or a page cache

}  // namespace

std::vector<MemoryNeed> memory_needs(const Configuration& configuration) {
  const SystemConfig& system = configuration.system();
  std::vector<MemoryNeed> needs;
  const auto add = [&needs](const char* key, Bytes value, std::int64_t bytes_each) {
    needs.push_back({key, format_size(value), Bytes(value / kPageBytes * bytes_each)});
  };
  const std::int64_t channels = system.all_channels();
  for (const NvdimmParameters& nvdimm : system.nvdimms()) {
    if (nvdimm.kind == NvdimmKind::hbf) {
      const std::int64_t pages = nvdimm.capacity / kPageBytes;
      const std::int64_t blocks = pages / nvdimm.nand.pages_per_block;
      const std::int64_t map = nvdimm.has_ftl() ? pages * kBytesOfPage : 0;
      needs.push_back({"nvdimm.capacity", format_size(nvdimm.capacity),
                       Bytes(channels * (map + blocks * kBytesOfHbfBlock))});
    } else if (nvdimm.kind == NvdimmKind::flash) {
      add("nvdimm.capacity", nvdimm.capacity, channels * kBytesOfPage);
      add("nvdimm.buffer.read_size", nvdimm.buffer.read_size, channels * kBytesOfFrame);
      add("nvdimm.buffer.write_size", nvdimm.buffer.write_size, channels * kBytesOfFrame);
    }
  }
  if (system.store_data) {
    needs.push_back(
        {"system.store_data", "true", system.dram_capacity() + system.nvdimm_capacity()});
  }
  const StorageParameters& storage = configuration.storage();
  if (storage.present()) {
    add("storage.capacity", storage.capacity(), kBytesOfPage);
    add("storage.cache.first", storage.cache().first, kBytesOfFrame);
    add("storage.cache.second", storage.cache().second, kBytesOfFrame);
    add("storage.paging.memory", storage.paging().memory, kBytesOfFrame);
  }
  return needs;
}

std::string describe_shortage(const std::vector<MemoryNeed>& needs) {
  Bytes all{0};
  for (const MemoryNeed& each : needs) {
    all += each.most;
  }
  const auto largest =
      std::max_element(needs.begin(), needs.end(),
                       [](const MemoryNeed& a, const MemoryNeed& b) { return a.most < b.most; });
  const char* const refused = "the machine provides no more memory";
  if (largest == needs.end()) {
    return refused;
  }
  const auto mebibytes = [](Bytes size) {
    return format_size((size + Bytes(1 << 20) - Bytes(1)) / Bytes(1 << 20) * Bytes(1 << 20));
  };
  return largest->key + ": " + largest->value + " may take " + mebibytes(largest->most) + " of " +
         mebibytes(all) + " that the configuration needs, but " + refused;
}

}  // namespace hmsim
