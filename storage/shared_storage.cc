// SPDX-License-Identifier: BSD-3-Clause
#include "storage/shared_storage.h"

#include <utility>

#include "storage/device_mover.h"

namespace hmsim {

SharedStorage::SharedStorage(const StorageParameters& parameters, MemoryPort& memory,
                             Kernel& kernel, std::uint64_t seed, const Assignments& assignments,
                             std::size_t requester) {
  std::unique_ptr<PageCopier> mover;
  const PageCacheParameters& cache = parameters.cache();
  if (cache.mover == Mover::lines) {
    NvdimmDeviceParameters lines;
    lines.window = cache.window;
    second_level_ = std::make_unique<NvdimmDevice>(lines);
    second_level_->connect(memory, static_cast<std::uint16_t>(requester));
    mover = std::make_unique<DeviceMover>(*second_level_);
  }
  device_ = parameters.make(seed, assignments, std::move(mover));
  host_ = std::make_unique<Host>(parameters.path(), *device_);
  host_->attach(Wakeup(kernel, kernel.attach(*host_)));
  if (second_level_ != nullptr) {
    second_level_->attach(*host_);
  }
}

}  // namespace hmsim
