// SPDX-License-Identifier: BSD-3-Clause
// Kind flash: an SSD or a flash card.
#include "storage/design.h"
#include "storage/flash_device.h"

namespace hmsim {

namespace {

class FlashKind final : public StorageDesign {
 public:
  void declare(ParameterSet& set) override { parameters_.declare(set); }
  std::vector<ParameterError> check(Bytes capacity) const override {
    return parameters_.check(capacity);
  }
  std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t seed,
                                      const Assignments& assignments) const override {
    return std::make_unique<FlashDevice>(parameters_, capacity, seed, assignments);
  }

 private:
  FlashParameters parameters_;
};

}  // namespace

extern const StorageDescriptor kStorage_flash;
const StorageDescriptor kStorage_flash{
    "flash", "driver, queue and link, then flash with an FTL, storage.flash: SSDs, flash cards",
    make_storage_design<FlashKind>};

}  // namespace hmsim
