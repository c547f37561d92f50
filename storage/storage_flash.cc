// SPDX-License-Identifier: BSD-3-Clause
// Kind flash: an SSD or a flash card.
#include "storage/flash_device.h"
#include "storage/plain_design.h"

namespace hmsim {

extern const StorageDescriptor kStorage_flash;
const StorageDescriptor kStorage_flash{
    "flash", "driver, queue and link, then flash with an FTL, storage.flash: SSDs, flash cards",
    make_storage_design<PlainDesign<FlashParameters, FlashDevice>>};

}  // namespace hmsim
