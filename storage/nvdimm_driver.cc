// SPDX-License-Identifier: BSD-3-Clause
#include "storage/nvdimm_driver.h"

#include <limits>

namespace hmsim {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kWords = 8;  // 8-byte words per line
constexpr CopyPass kLoad{false, 1};
constexpr CopyPass kStore{true, 1};
constexpr CopyPass kNone{};

// Ways of copying data, in the order of CopyKind.
constexpr Copy kCopies[] = {
    // Loads through the caches; non-temporal stores of whole lines from write-combining buffers.
    {{{{kLoad, kNone}, {kStore, kNone}}}, kNoLimit},
    // Stores through the caches: a line is read before it is written, and flushed afterwards.
    {{{{kLoad, kNone}, {kLoad, kStore}}}, kNoLimit},
    // Eight bytes at a time, in order.
    {{{{CopyPass{false, kWords}, kNone}, {CopyPass{true, kWords}, kNone}}}, 1},
};

}  // namespace

constexpr std::array<PresetRow<NvdimmDriverKind, NvdimmDriver>, 3> kNvdimmDrivers{{
    {NvdimmDriverKind::nd_pmem,
     "nd_pmem",
     {IoDriverKind::nd_pmem, CopyKind::non_temporal, WaitFor::request, WriteEnd::done,
      Barrier::command, Tick(0), Tick(0)}},
    {NvdimmDriverKind::pmbd,
     "pmbd",
     {IoDriverKind::pmbd, CopyKind::non_temporal, WaitFor::block, WriteEnd::accepted,
      Barrier::driver, 300 * kNanosecond, Tick(0)}},
    {NvdimmDriverKind::dax,
     "dax",
     {IoDriverKind::dax, CopyKind::write_back, WaitFor::request, WriteEnd::accepted,
      Barrier::command, Tick(0), kMicrosecond}},
}};
static_assert(in_order(kNvdimmDrivers));

const Copy& copy_of(CopyKind kind) { return kCopies[static_cast<std::size_t>(kind)]; }

}  // namespace hmsim
