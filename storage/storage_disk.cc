// SPDX-License-Identifier: BSD-3-Clause
// Kind disk: a magnetic disk.
#include "storage/disk.h"
#include "storage/plain_design.h"

namespace hmsim {

extern const StorageDescriptor kStorage_disk;
const StorageDescriptor kStorage_disk{
    "disk", "an arm and platters, storage.disk: seek, rotation, transfer, read-ahead, elevator",
    make_storage_design<PlainDesign<DiskParameters, Disk>>};

}  // namespace hmsim
