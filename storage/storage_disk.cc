// SPDX-License-Identifier: BSD-3-Clause
// Kind disk: a magnetic disk.
#include "storage/design.h"
#include "storage/disk.h"

namespace hmsim {

namespace {

class DiskKind final : public StorageDesign {
 public:
  void declare(ParameterSet& set) override { parameters_.declare(set); }
  std::vector<ParameterError> check(Bytes capacity) const override {
    return parameters_.check(capacity);
  }
  std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t seed,
                                      const Assignments& /*assignments*/) const override {
    return std::make_unique<Disk>(parameters_, capacity, seed);
  }

 private:
  DiskParameters parameters_;
};

}  // namespace

extern const StorageDescriptor kStorage_disk;
const StorageDescriptor kStorage_disk{
    "disk", "an arm and platters, storage.disk: seek, rotation, transfer, read-ahead, elevator",
    make_storage_design<DiskKind>};

}  // namespace hmsim
