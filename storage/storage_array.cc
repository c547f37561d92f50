// SPDX-License-Identifier: BSD-3-Clause
// Kind array: Moneta, HASTE, and other designs of controllers behind a ring and a link.
#include "storage/array.h"
#include "storage/plain_design.h"

namespace hmsim {

extern const StorageDescriptor kStorage_array;
const StorageDescriptor kStorage_array{
    "array", "memory controllers behind a ring, a scheduler and a link: Moneta and its kin",
    make_storage_design<PlainDesign<ArrayDesign, Array>>};

}  // namespace hmsim
