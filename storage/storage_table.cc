// SPDX-License-Identifier: BSD-3-Clause
// Kind table: a device defined only by its operation times.
#include "storage/plain_design.h"
#include "storage/table_device.h"

namespace hmsim {

extern const StorageDescriptor kStorage_table;
const StorageDescriptor kStorage_table{
    "table", "a time for each size of operation, in storage.table, on one or more channels",
    make_storage_design<PlainDesign<TableParameters, TableDevice>>};

}  // namespace hmsim
